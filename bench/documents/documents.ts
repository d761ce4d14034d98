import { call, type Input } from '@weir/kernel/contract';
import { API_VERSION, applyPlan, dryRunDocuments, type PlanView } from '@weir/plugin-apply/contract';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { median } from '../measure/paired.ts';
import { cpuSince } from '../measure/process-tree.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';

const DOCUMENTS = 500;
const QUICK_DOCUMENTS = 20;
const ROUNDS = 5;
const [MOST_S, MOST_CPU_S] = [2, 1];
const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } };

type Docs = Input<typeof dryRunDocuments>['body']['docs'];

/** What planning documents takes of the API: all new, all as they are, and each changed. Half are sources with two streams. */
export async function documents({ quick }: BenchOptions): Promise<BenchResult> {
  const count = quick ? QUICK_DOCUMENTS : DOCUMENTS;
  return withPlatform(
    async (platform) => {
      const cases = [await planned(platform, 'all new', docsOf(count, 'Müller & Söhne'))];
      await applied(platform, docsOf(count, 'Müller & Söhne'));
      cases.push(await planned(platform, 'all as they are', docsOf(count, 'Müller & Söhne')));
      cases.push(await planned(platform, 'each changed', docsOf(count, 'Größe')));
      return { suite: 'documents', cases };
    },
    { WEIR_PLATFORM: new URL('../../platform.json', import.meta.url).pathname, WEIR_RATE_WRITES: '0' },
  );
}

/** Transforms read a table that nothing has made yet, so that applying them, which is not measured, puts none in force. */
function docsOf(count: number, word: string): Docs {
  const envelope = (kind: string, name: string, spec: object) => ({
    apiVersion: API_VERSION,
    kind,
    metadata: { name },
    spec,
  });
  return Array.from({ length: count }, (_, at) => {
    const streams = ['orders', 'customers'].map((name) => ({ name, schema: SCHEMA, enabled: true }));
    if (at % 2 === 0)
      return envelope('Source', `shop_${at}`, {
        pattern_id: 'files',
        source_config: { path: '/data', glob: `${word}/*.csv` },
        streams,
      });
    return envelope('Transform', `daily_${at}`, {
      sql: `select id, '${word}' as note from bronze.acme.unmade as t where id > 0`,
      output: `gold.acme.daily_${at}`,
      description: word,
    });
  });
}

async function plan({ api, caller }: PlatformProcess, docs: Docs): Promise<PlanView> {
  const answer = await call(dryRunDocuments, { body: { docs } }, { url: api.url, headers: caller });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.problem.code}`);
  const { error, 'would-409': conflicts } = answer.body.summary;
  if (error + conflicts > 0) throw new Error(JSON.stringify(answer.body.results.find(({ errors }) => errors)));
  return answer.body;
}

/** The first round warms compilers and pools, and does not count. */
async function planned(platform: PlatformProcess, name: string, docs: Docs): Promise<BenchCase> {
  const [walls, cpus]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [began, spent] = [performance.now(), cpuSince(platform.api.pid)];
    await plan(platform, docs);
    if (round === 0) continue;
    walls.push((performance.now() - began) / 1_000);
    cpus.push(spent());
  }
  return {
    case: name,
    rows: docs.length,
    wall_s: median(walls),
    cpu_s: median(cpus),
    rows_per_cpu_s: docs.length / median(cpus),
    runs: ROUNDS,
    note: `${docs.length} documents in one dry run, half of them sources with two streams, half transforms: from the call to its answer, and the processor time of the API.`,
    bars: [
      { figure: 'wall_s', most: MOST_S },
      { figure: 'cpu_s', most: MOST_CPU_S },
    ],
  };
}

async function applied(platform: PlatformProcess, docs: Docs): Promise<void> {
  const { fingerprint } = await plan(platform, docs);
  const { api, caller } = platform;
  for (let isLeft = true; isLeft; ) {
    const answer = await call(applyPlan, { body: { docs, fingerprint } }, { url: api.url, headers: caller });
    const outcomes = answer.ok ? answer.body.results.map(({ outcome }) => outcome) : ['failed'];
    if (outcomes.includes('failed')) throw new Error(JSON.stringify(answer).slice(0, 1_000));
    isLeft = outcomes.includes('not_reached');
  }
}
