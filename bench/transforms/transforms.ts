import { call, type Input } from '@weir/kernel/contract';
import {
  changeTransform,
  createTransform,
  getTransformRun,
  hydrateTransform,
  materializeTransform,
  type TransformRunView,
} from '@weir/plugin-transforms/contract';
import { startWorker } from '../../test/worker-process.ts';
import type { BenchCase, BenchOptions, BenchResult } from '../bench-result.ts';
import { inTurn, median, pairing, type Run } from '../measure/paired.ts';
import { type PlatformProcess, withPlatform } from '../platform-process.ts';
import { watchTree } from '../sync/tree-watch.ts';

/** A table is rebuilt once before they are counted: what caches hold, they hold for both sides. */
const ROUNDS = 1;
const ROWS = 10_000_000;
const QUICK_ROWS = 100_000;
/** What an increment finds new, of the rows that are there. */
const NEW_SHARE = 0.01;
/** Of what is new so many rows change keys that are there. */
const CHANGED = 0.5;
const MOST_SHARE = 0.05;
const POLL_MS = 250;
const EVENTS = 'silver.acme.events';

type Body = Input<typeof createTransform>['body'];

/** Ways of keeping a table up to date with the events. */
const TABLES: readonly (Pick<Body, 'sql' | 'materialization' | 'key' | 'partition_by'> & { name: string })[] = [
  {
    ...{ name: 'append', materialization: 'append' },
    sql: `select id, customer, day, upper(status) as status, amount * 2 as amount, note from ${EVENTS}`,
  },
  {
    ...{ name: 'merge', materialization: 'merge', key: ['id'] },
    sql: `select * from ${EVENTS} qualify row_number() over (partition by id order by version desc) = 1`,
  },
  {
    ...{ name: 'partition_overwrite', materialization: 'partition_overwrite', partition_by: ['day'] },
    sql: `select day, customer, count(*) as events, sum(amount) as amount from ${EVENTS} group by day, customer`,
  },
];

/**
 * Increments of transforms beside full runs of the same, in turn: the worker and everything below it, from the call that starts
 * a run to its end. Each increment finds one per cent more rows in the input, half of them changes of rows that are there.
 */
export async function transforms({
  quick,
  rows = quick ? QUICK_ROWS : ROWS,
  only,
}: BenchOptions): Promise<BenchResult> {
  return withPlatform(async (platform, t) => {
    const worker = await startWorker(t, platform.environment, 'transform');
    const client = clientOf(platform, worker.pid);
    const events = await eventsOf(client, rows);
    const cases: BenchCase[] = [];
    for (const table of TABLES.filter(({ name }) => `increment_by_${name}`.includes(only))) {
      const body = { ...table, output: `gold.acme.${table.name}`, incremental: EVENTS };
      const params = await client.make(body);
      await client.run(params);
      const increment = async () => {
        await events.land();
        return client.run(params, { extent: 'increment' });
      };
      const full = () => client.run(params, { extent: 'full' });
      const [own = [], other = []] = await inTurn(ROUNDS, [increment, full]);
      cases.push(caseOf(table.name, { rows, own, other }));
    }
    return { suite: 'transforms', cases };
  });
}

function caseOf(name: string, sides: { rows: number; own: readonly Run[]; other: readonly Run[] }): BenchCase {
  const { rows, own, other } = sides;
  const { ours, theirs, runs } = pairing(
    [{ name: 'increment', rows: rows * NEW_SHARE }, own],
    [{ name: 'full run', rows }, other],
  );
  const shares = own.map(({ cpu_s }, at) => cpu_s / (other[at]?.cpu_s ?? Number.NaN));
  return {
    case: `increment_by_${name}`,
    note: `A run that reads what is new, 1 % of the rows, beside one that rebuilds the table of all of them; the worker and its processes, from the call to the end of the run. \`share\` is its processor time by that of the full run, and \`ratio\` the other way round.`,
    ...ours,
    peer: { name: 'full run', ...theirs },
    ratio: 1 / median(shares),
    share: median(shares),
    bars: [{ figure: 'share', most: MOST_SHARE }],
    runs,
  };
}

/** The input: so many rows over a hundred days, and one per cent more at a time. */
async function eventsOf({ make, change, run }: Client, rows: number) {
  const columns = `id % ${rows / 10} as customer, date '2026-01-01' + (id // ${rows / 100})::int as day,
    ['new', 'paid', 'sent'][id % 3 + 1] as status, (id % 9973)::decimal(12, 2) as amount, md5(id::varchar) as note`;
  const first = `select id, 0 as version, ${columns} from range(${rows}) r(id)`;
  const params = await make({ name: 'events', sql: first, output: EVENTS, materialization: 'append' });
  await run(params);
  let landed = 0;
  return {
    async land(): Promise<void> {
      landed += 1;
      const [changed, added] = [CHANGED, 1 - CHANGED].map((share) => rows * NEW_SHARE * share);
      // Changes of what is newest, as most changes are, and rows behind it.
      const from = rows + (landed - 1) * (added ?? 0) - (changed ?? 0);
      await change(
        params,
        `select id, ${landed} as version, ${columns} from range(${from}, ${from + rows * NEW_SHARE}) r(id)`,
      );
      await run(params);
    },
  };
}

type Client = ReturnType<typeof clientOf>;
interface Params {
  transform_id: string;
}

function clientOf({ api, caller }: PlatformProcess, worker: number) {
  const client = { url: api.url, headers: caller };
  const hydrate = async (params: Params) => void bodyOf(await call(hydrateTransform, { params }, client));
  return {
    async make(body: Body): Promise<Params> {
      const { transform_id } = bodyOf(await call(createTransform, { body }, client));
      await hydrate({ transform_id });
      return { transform_id };
    },

    async change(params: Params, sql: string): Promise<void> {
      bodyOf(await call(changeTransform, { params, body: { sql } }, client));
      await hydrate(params);
    },

    /** What a run used to its end; throws when it does not succeed, or does other than was wanted. */
    async run(params: Params, { extent }: Partial<Pick<TransformRunView, 'extent'>> = {}): Promise<Run> {
      const watch = watchTree(worker);
      const begun = performance.now();
      const body = extent === 'full' ? { full: true } : {};
      const { run_id } = bodyOf(await call(materializeTransform, { params, body }, client));
      const look = async () => bodyOf(await call(getTransformRun, { params: { run_id } }, client));
      let run = await look();
      while (!run.is_terminal) {
        await new Promise((resume) => setTimeout(resume, POLL_MS));
        run = await look();
      }
      const { cpu_s, rss_mb } = watch.stop();
      const isWanted = run.status === 'succeeded' && (extent === undefined || run.extent === extent);
      if (!isWanted) throw new Error(`the run ended as ${JSON.stringify(run)}`);
      return { cpu_s, rss_mb, wall_s: (performance.now() - begun) / 1_000 };
    },
  };
}

function bodyOf<B>(result: { ok: true; body: B } | { ok: false; problem: unknown }): B {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}
