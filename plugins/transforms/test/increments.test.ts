import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const EVENTS = 'silver.acme.events';

t.test('a table is kept up to date by increments: by row, by key and by partition', async (t) => {
  const world = await runWorld(t);
  const { ok, call, hydrated, materialized, rows } = world;
  await startWorker(t, world.environment, 'transform');
  const events = await hydrated('events', 'select 1 as id, 1 as day, 10 as v', EVENTS, { materialization: 'append' });
  const land = async (values: string) => {
    const sql = `select id, day, v from (values ${values}) e(id, day, v)`;
    await ok(endpoints.changeTransform, { params: events, body: { sql } });
    await ok(endpoints.hydrateTransform, { params: events });
    const run = await materialized(events);
    t.match(run, { status: 'succeeded' }, JSON.stringify(run.failure));
  };
  await land('(1, 1, 10), (2, 1, 20)');

  const incremental = { incremental: EVENTS };
  const copied = await hydrated('copied', `select id, v * 2 as v from ${EVENTS}`, 'gold.acme.copied', {
    ...{ materialization: 'append', ...incremental },
  });
  const latest = await hydrated(
    'latest',
    `select id, v from ${EVENTS} qualify row_number() over (partition by id order by day desc) = 1`,
    'gold.acme.latest',
    { materialization: 'merge', key: ['id'], ...incremental },
  );
  const daily = await hydrated('daily', `select day, sum(v)::int as v from ${EVENTS} group by day`, 'gold.acme.daily', {
    ...{ materialization: 'partition_overwrite', partition_by: ['day'], ...incremental },
  });
  const run = async (params: { transform_id: string }, expected: object, body: object = {}) => {
    const made = await materialized(params, body);
    t.match(made, { status: 'succeeded', failure: null, ...expected }, JSON.stringify(made.failure));
  };
  const runAll = async (expected: object) => {
    for (const params of [copied, latest, daily]) await run(params, expected);
  };
  const shown = async (id: string) => (await rows(`gold.acme.${id}`)).map((row) => row.join()).toSorted();
  const made = async () => [await shown('copied'), await shown('latest'), await shown('daily')];

  await runAll({ reason: 'first', extent: 'full' });
  t.strictSame(await made(), [['1,20', '2,40'], ['1,10', '2,20'], ['1,30']]);
  // A changed row, one that is late, and a new one.
  await land('(1, 2, 11), (2, 0, 19), (3, 2, 30)');
  await runAll({ reason: 'input_moved', extent: 'increment' });
  const then = [
    ['1,20', '1,22', '2,38', '2,40', '3,60'],
    ['1,11', '2,20', '3,30'],
    ['0,19', '1,30', '2,41'],
  ];
  t.strictSame(await made(), then);
  t.match(await materialized(daily), { status: 'skipped', reason: null, extent: null });
  await run(daily, { reason: 'full_asked', extent: 'full' }, { full: true });
  t.strictSame(await shown('daily'), then[2], 'made anew, it is the same');

  await t.test('an input whose rows are replaced → full, with the reason', async (t) => {
    const replaced = { sql: 'select 7 as id, 7 as day, 7 as v', materialization: 'full' as const };
    await ok(endpoints.changeTransform, { params: events, body: replaced });
    await ok(endpoints.hydrateTransform, { params: events });
    await materialized(events);
    await run(copied, { reason: 'input_overwritten', extent: 'full' });
    t.strictSame(await shown('copied'), ['7,14']);
  });

  await t.test('a key of several rows → fails by name, and the table is as before', async (t) => {
    const failing = async (sql: string) => {
      await ok(endpoints.changeTransform, { params: latest, body: { sql } });
      await ok(endpoints.hydrateTransform, { params: latest });
      return (await materialized(latest)).failure?.code;
    };
    t.equal(await failing(`select id, v from ${EVENTS}, range(2)`), 'key_doubled');
    t.strictSame(await shown('latest'), then[1]);
  });

  await t.test('a statement of which new rows do not tell the result → refused when it is hydrated', async (t) => {
    await ok(endpoints.changeTransform, {
      params: copied,
      body: { sql: `select id, sum(v) as v from ${EVENTS} group by id` },
    });
    t.match(await call(endpoints.hydrateTransform, { params: copied }), {
      problem: { code: 'materialization_refused', errors: [{ pointer: '/incremental', code: 'increment_not_by_row' }] },
    });
  });
});
