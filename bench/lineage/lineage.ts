import { call, type Endpoint, type Input, type Output } from '@weir/kernel/contract';
import { getLineage } from '@weir/plugin-lineage/contract';
import { createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { median } from '../measure/paired.ts';
import { cpuSince } from '../measure/process-tree.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';

const LAYERS = 10;
const [WIDTH, QUICK_WIDTH] = [100, 5];
const COLUMNS = 10;
const ROUNDS = 7;
const MOST_S = 0.15;

/** What a graph takes of the API: ten layers of transforms that each read two tables of the layer before. No run has made a table. */
export async function lineage({ quick }: BenchOptions): Promise<BenchResult> {
  const width = quick ? QUICK_WIDTH : WIDTH;
  return withPlatform(
    async (platform) => {
      for (let layer = 0; layer < LAYERS; layer += 1)
        for (let at = 0; at < width; at += 1) await make(platform, { layer, at, width });
      const middle = { dataset_id: tableOf(LAYERS / 2, 0) };
      const cases = [
        await measured(platform, 'around one table, 3 steps, with columns', { ...middle, depth: 3, columns: true }),
        await measured(platform, 'one column, 10 steps', { ...middle, depth: 10, column: 'c1' }),
        await measured(platform, 'all tables', {}),
      ];
      return { suite: 'lineage', cases };
    },
    { WEIR_PLATFORM: new URL('../../platform.json', import.meta.url).pathname, WEIR_RATE_WRITES: '0' },
  );
}

const tableOf = (layer: number, at: number): string => `silver.acme.t${layer}_${at}`;

async function make(platform: PlatformProcess, { layer, at, width }: { layer: number; at: number; width: number }) {
  const names = Array.from({ length: COLUMNS }, (_, column) => `c${column}`);
  const of = names.map((name) => `a.${name} + b.${name} as ${name}`).join(', ');
  const inputs = `${tableOf(layer - 1, at)} a join ${tableOf(layer - 1, (at + 1) % width)} b on a.c0 = b.c0`;
  const sql =
    layer === 0 ? `select ${names.map((name, n) => `${n} as ${name}`).join(', ')}` : `select ${of} from ${inputs}`;
  const body = { name: `t${layer}_${at}`, sql, output: tableOf(layer, at) };
  const { transform_id } = await ok(platform, createTransform, { body });
  await ok(platform, hydrateTransform, { params: { transform_id } });
}

async function ok<E extends Endpoint>(
  { api, caller }: PlatformProcess,
  endpoint: E,
  input: Partial<Input<E>>,
): Promise<Output<E>> {
  const answer = await call(endpoint, input, { url: api.url, headers: caller });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.problem.code}`);
  return answer.body;
}

/** The first round warms compilers and pools, and does not count. */
async function measured(
  platform: PlatformProcess,
  name: string,
  query: NonNullable<Input<typeof getLineage>['query']>,
): Promise<BenchCase> {
  const [walls, cpus]: [number[], number[]] = [[], []];
  let nodes = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [began, spent] = [performance.now(), cpuSince(platform.api.pid)];
    nodes = (await ok(platform, getLineage, { query })).nodes.length;
    if (round === 0) continue;
    walls.push((performance.now() - began) / 1_000);
    cpus.push(spent());
  }
  return {
    case: name,
    rows: nodes,
    wall_s: median(walls),
    cpu_s: median(cpus),
    rows_per_cpu_s: nodes / Math.max(median(cpus), 0.001),
    runs: ROUNDS,
    note: `${nodes} nodes of ${LAYERS} layers of transforms with ${COLUMNS} columns each: from the call to its answer, and the processor time of the API.`,
    bars: [{ figure: 'wall_s', most: MOST_S }],
  };
}
