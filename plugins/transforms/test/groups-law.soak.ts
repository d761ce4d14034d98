import { getRun } from '@weir/plugin-runs/contract';
import { inParallel } from '@weir/work';
import fc from 'fast-check';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

/** The lane takes a quarter of the graphs: `WEIR_TEST_QUARTER` says which, from 1. */
const [GRAPHS, QUARTERS] = [200, 4];
const QUARTER = Number(process.env.WEIR_TEST_QUARTER ?? 1);
const SEED = 20_261_128;
const BASE = 'silver.acme.base';
/** Rows that come between the rounds; each key comes once. */
const ROUNDS = ['(1, 1, 10), (2, 1, 20), (3, 2, 5)', '(4, 2, 7), (5, 3, 1)'];

/** A step over the table at place `from`: 0 is the base, n the step before it with that number. */
const step = fc.record({
  kind: fc.constantFrom('full', 'joined', 'append', 'merge', 'partitions'),
  from: fc.nat(3),
  other: fc.nat(3),
});
const graph = fc.record({
  steps: fc.array(step, { minLength: 2, maxLength: 4 }),
  publish: fc.constantFrom('together' as const, 'together' as const, 'each' as const),
});
type Step = { kind: string; from: number; other: number };

/** The statement of a step and how its rows are written, over the tables of its copy of the graph. */
function definitionOf({ kind, from, other }: Step, tables: readonly string[]) {
  const [x, y] = [tables[from % tables.length] as string, tables[other % tables.length] as string];
  switch (kind) {
    case 'full':
      return { sql: `select id, day, v + 1 as v from ${x}` };
    case 'joined':
      return { sql: `select x.id, x.day, x.v + y.n as v from ${x} x, (select count(*)::int as n from ${y}) y` };
    case 'append':
      return { sql: `select id, day, v + 2 as v from ${x}`, materialization: 'append', incremental: x };
    case 'merge':
      return { sql: `select id, day, v * 2 as v from ${x}`, materialization: 'merge', key: ['id'], incremental: x };
    default:
      return {
        sql: `select min(id) as id, day, sum(v)::int as v from ${x} group by day`,
        materialization: 'partition_overwrite',
        partition_by: ['day'],
        incremental: x,
      };
  }
}

t.test('a group of steps gives what its steps give one after the other, whatever the graph', async (t) => {
  const world = await runWorld(t);
  const { ok, hydrated, materialized, rows } = world;
  const slots = { WORKFLOW_TRANSFORM_MAX_CONCURRENT_ACTIVITIES: '3', WEIR_TRANSFORM_LANES_PER_TENANT: '0' };
  await startWorker(t, { ...world.environment, ...slots }, 'transform');
  const values = (text: string) => `select id, day, v from (values ${text}) e(id, day, v)`;
  const base = await hydrated('base', values(ROUNDS[0] ?? ''), BASE, { materialization: 'append' });
  const copyOf = async (name: string, steps: readonly Step[]) => {
    const tables = [BASE];
    const made: { transform_id: string }[] = [];
    for (const [at, one] of steps.entries()) {
      const { sql, ...how } = definitionOf(one, tables);
      const output = `gold.acme.${name}_${at}`;
      made.push(await hydrated(`${name}_${at}`, sql, output, how));
      tables.push(output);
    }
    return { made, tables: tables.slice(1) };
  };
  const graphs = [];
  const size = GRAPHS / QUARTERS;
  const own = fc.sample(graph, { numRuns: GRAPHS, seed: SEED }).slice((QUARTER - 1) * size, QUARTER * size);
  t.equal(own.length, size);
  for (const [at, { steps, publish }] of own.entries()) {
    // No more at once than a tenant has room for.
    const [grouped, single] = await Promise.all([copyOf(`g${at}`, steps), copyOf(`s${at}`, steps)]);
    graphs.push({ publish, steps, grouped, single });
    // A file without output is taken to hang.
    t.comment(`graph ${at} is there`);
  }
  const shown = async (table: string) => (await rows(table)).map(String).toSorted();
  const wayOf = ({ status, reason, extent }: endpoints.TransformRunView) => [status, reason, extent];

  for (const [round, text] of ROUNDS.entries()) {
    await ok(endpoints.changeTransform, { params: base, body: { sql: values(text) } });
    await ok(endpoints.hydrateTransform, { params: base });
    t.match(await materialized(base), { status: 'succeeded' });
    await inParallel(graphs, async ({ publish, steps, grouped, single }, at) => {
      const transform_ids = grouped.made.map(({ transform_id }) => transform_id).toReversed();
      const { run_id } = await ok(endpoints.materializeTransforms, { body: { transform_ids, publish } });
      const ways: unknown[] = [];
      for (const one of single.made) ways.push(wayOf(await materialized(one)));
      await until('the end of a whole', async () => (await ok(getRun, { params: { id: run_id } })).is_terminal);
      const { items } = await ok(endpoints.listTransformRuns, { query: { orchestrator_run_id: run_id } });
      const about = `round ${round}, graph ${at}, ${publish}: ${JSON.stringify(steps)}`;
      const parts = grouped.made.map((one) => items.find(({ transform_id }) => transform_id === one.transform_id));
      t.strictSame(
        parts.map((part) => part && wayOf(part)),
        ways,
        about,
      );
      for (const [place, table] of grouped.tables.entries())
        t.strictSame(await shown(table), await shown(single.tables[place] ?? ''), about);
    });
  }
});
