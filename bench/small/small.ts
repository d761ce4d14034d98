import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { getRun } from '@weir/plugin-runs/contract';
import {
  createTransform,
  hydrateTransform,
  materializeTransform,
  materializeTransforms,
} from '@weir/plugin-transforms/contract';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { groupCpuSeconds, joinGroup } from '../measure/control-group.ts';
import { measuredRun } from '../measure/measured-run.ts';
import { figures, inTurn, median, pairing, type Run } from '../measure/paired.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const [ROUNDS, QUICK_ROUNDS] = [5, 1];
const STEPS = 10;
const ROWS = 1_000;
const WAIT_SECONDS = 60;
/** How long a process that a run leaves waiting takes to load its code, which the run is to pay for. */
const SETTLE_MS = 1_000;
const [MOST_SHARE, MOST_RUN_CPU_S, MOST_COMMAND_CPU_S] = [0.6, 0.3, 0.15];
const RAW = 'silver.acme.raw';

/** What the smallest things cost that a user does: a run of a small transform, ten of them, and a command. */
export async function small({ quick, only }: BenchOptions): Promise<BenchResult> {
  const rounds = quick ? QUICK_ROUNDS : ROUNDS;
  return withPlatform(async (platform, t) => {
    const cases: BenchCase[] = [];
    const isWanted = (name: string) => name.includes(only);
    if (isWanted('ten_small_transforms')) {
      const worker = await startWorker(t, platform.environment, 'transform');
      // Processes within bounds are killed with those that began them: no parent ever counts what they used.
      const group = `/weir-bench-${process.pid}`;
      joinGroup(group, [worker.pid]);
      cases.push(...(await transformCases(clientOf(platform), { rounds, group })));
    }
    if (isWanted('command')) cases.push(await commandCase(platform, rounds));
    return { suite: 'small', cases };
  });
}

async function transformCases(client: Client, { rounds, group }: { rounds: number; group: string }) {
  const ids = await tenTransforms(client);
  const alone = async () => {
    for (const id of ids)
      await client.run(materializeTransform, { params: { transform_id: id }, body: { force: true } });
  };
  const together = () =>
    client.run(materializeTransforms, { body: { transform_ids: ids, publish: 'together', force: true } });
  const costing = (work: () => Promise<void>) => async (): Promise<Run> => {
    await delay(SETTLE_MS);
    const [begun, before] = [performance.now(), groupCpuSeconds(group)];
    await work();
    const wall_s = (performance.now() - begun) / 1_000;
    await delay(SETTLE_MS);
    return { wall_s, cpu_s: groupCpuSeconds(group) - before, rss_mb: 0 };
  };
  const [own = [], other = []] = await inTurn(rounds, [costing(together), costing(alone)]);
  const names = ['ten steps in a group', 'ten runs'] as const;
  const { ours, theirs, ratio } = pairing(
    [{ name: names[0], rows: STEPS }, own],
    [{ name: names[1], rows: STEPS }, other],
  );
  const each = other.map((run) => ({ ...run, cpu_s: run.cpu_s / STEPS, wall_s: run.wall_s / STEPS }));
  const found: BenchCase[] = [
    {
      case: 'ten_small_transforms',
      note: `Ten transforms of ${ROWS} rows to seven, in one group that publishes together, beside ten runs of one each; the worker and its processes.`,
      ...ours,
      peer: { name: names[1], ...theirs },
      ratio,
      share: median(own.map(({ cpu_s }, at) => cpu_s / (other[at]?.cpu_s ?? Number.NaN))),
      bars: [{ figure: 'share', most: MOST_SHARE }],
      runs: own.length,
    },
    {
      case: 'small_transform',
      note: 'One of those ten runs.',
      ...figures(1, each),
      bars: [{ figure: 'cpu_s', most: MOST_RUN_CPU_S }],
      runs: each.length,
    },
  ];
  return found;
}

async function tenTransforms({ make, run }: Client): Promise<string[]> {
  const raw = await make('raw', `select i as id, i % 7 as k from range(${ROWS}) r(i)`, RAW);
  await run(materializeTransform, { params: { transform_id: raw }, body: {} });
  const ids: string[] = [];
  while (ids.length < STEPS) {
    const name = `t${ids.length}`;
    const sql = `select k, count(*) as n, sum(id) as ids, '${name}' as name from ${RAW} group by k`;
    ids.push(await make(name, sql, `gold.acme.${name}`));
  }
  return ids;
}

/** `weir sources list` of a tenant without sources. */
async function commandCase({ api, caller }: PlatformProcess, rounds: number): Promise<BenchCase> {
  const token = String(caller.authorization).replace('Bearer ', '');
  const env = { WEIR_URL: api.url, WEIR_TOKEN: token, WEIR_TENANT: 'acme' };
  const args = [path.join(ROOT, 'cli/bin/weir.mjs'), 'sources', 'list', '-o', 'json'];
  const [own = []] = await inTurn(rounds, [() => measuredRun({ command: 'node', args, env })]);
  return {
    case: 'command',
    note: '`weir sources list`, from its launcher to its end; the API is not counted.',
    ...figures(1, own),
    bars: [{ figure: 'cpu_s', most: MOST_COMMAND_CPU_S }],
    runs: own.length,
  };
}

type Client = ReturnType<typeof clientOf>;

function clientOf({ api, caller }: PlatformProcess) {
  const client = { url: api.url, headers: caller };
  const ok = async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>>): Promise<Output<E>> => {
    const answer = await call(endpoint, input as Input<E>, client);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };
  return {
    async make(name: string, sql: string, output: string): Promise<string> {
      const { transform_id } = await ok(createTransform, { body: { name, sql, output } });
      await ok(hydrateTransform, { params: { transform_id } });
      return transform_id;
    },

    /** Starts a run and waits for its end; throws when it does not succeed. */
    async run<E extends typeof materializeTransform | typeof materializeTransforms>(
      endpoint: E,
      input: Partial<Input<E>>,
    ) {
      const { run_id = '' } = (await ok(endpoint, input)) ?? {};
      const look = () => ok(getRun, { params: { id: run_id }, query: { wait: WAIT_SECONDS } });
      let run = await look();
      while (!run.is_terminal) run = await look();
      if (run.status !== 'succeeded') throw new Error(`the run ended as ${JSON.stringify(run)}`);
    },
  };
}
