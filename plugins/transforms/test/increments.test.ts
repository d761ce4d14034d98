import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const EVENTS = 'silver.acme.events';

const incremental = { incremental: EVENTS };

/** Tables of the events, each kept up to date in another way. */
const outputsOf = async (hydrated: Awaited<ReturnType<typeof runWorld>>['hydrated']) => ({
  copied: await hydrated('copied', `select id, v * 2 as v from ${EVENTS}`, 'gold.acme.copied', {
    ...{ materialization: 'append', ...incremental },
  }),
  latest: await hydrated(
    'latest',
    `select id, v from ${EVENTS} qualify row_number() over (partition by id order by day desc) = 1`,
    'gold.acme.latest',
    {
      ...{ materialization: 'merge', key: ['id'], ...incremental },
      checks: [
        { name: 'an_id_once', kind: 'unique', columns: ['id'] },
        { name: 'few', kind: 'row_count', max: 3 },
      ],
    },
  ),
  daily: await hydrated('daily', `select day, sum(v)::int as v from ${EVENTS} group by day`, 'gold.acme.daily', {
    ...{ materialization: 'partition_overwrite', partition_by: ['day'], ...incremental },
  }),
  named: await hydrated('named', `select id, v from ${EVENTS}`, 'gold.acme.named', {
    ...{ materialization: 'merge', key: ['id'], ...incremental },
  }),
});

t.test('a table is kept up to date by increments: by row, by key and by partition', async (t) => {
  const world = await runWorld(t);
  const { ok, call, hydrated, materialized, rows, database } = world;
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

  const { copied, latest, daily, named } = await outputsOf(hydrated);
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
  await run(named, { reason: 'first', extent: 'full' });
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

  await t.test('each row of the input gives one, and a key comes again → key_doubled, as in a full run', async (t) => {
    const failure = {
      code: 'key_doubled',
      origin: 'data',
      retryable: false,
      detail: /^The result has several rows for 2 keys\./,
    };
    t.match(await materialized(named), { status: 'failed', extent: 'increment', failure });
    t.strictSame(await shown('named'), ['1,10', '2,20']);
  });

  await t.test('checks of an increment judge the table, not only what the run adds', async (t) => {
    const checks = [
      { name: 'once', kind: 'unique', columns: ['id', 'day'] },
      { name: 'few', kind: 'row_count', max: 6 },
      { name: 'current', kind: 'freshness', column: 'seen', max_age_seconds: 86_400, severity: 'warn' },
      { name: 'small', kind: 'sql', sql: 'from written where (select sum(v) from result) > 90' },
      { name: 'known', kind: 'accepted_values', column: 'v', values: [10, 20, 11, 19, 30], severity: 'warn' },
    ];
    const seen = `timestamptz '${new Date().toISOString()}'`;
    const sql = `select id, day, v, case when v > 5 then ${seen} end as seen from ${EVENTS}`;
    const judged = await hydrated('judged', sql, 'gold.acme.judged', {
      ...{ materialization: 'append', ...incremental, checks },
    });
    const failing = (made: Awaited<ReturnType<typeof materialized>>) =>
      made.checks.map(({ failing_rows: rows }) => rows);
    t.strictSame(failing(await materialized(judged)), ['0', '0', '0', '0', '0']);
    // Alone, these rows would break the third and keep the two before it and the one behind it.
    await land('(1, 1, 1), (9, 9, 0)');
    const broken = await materialized(judged);
    t.match(broken, { status: 'failed', extent: 'increment', failure: { code: 'check_failed' } });
    t.strictSame(failing(broken), ['1', '1', '0', '2', '2']);
    t.equal((await shown('judged')).length, 5);
  });

  await t.test('other columns divide the output → a full run divides it anew, and only a full one', async (t) => {
    const readOf = async (params: { transform_id: string }) =>
      (await ok(endpoints.getTransformDetail, { params })).readiness.checks.find(({ check }) => check === 'output');
    const divide = async (params: { transform_id: string }, body: object) => {
      await ok(endpoints.changeTransform, { params, body });
      return (await ok(endpoints.hydrateTransform, { params })).full_run_needed;
    };
    const sql = 'select * from (values (1, 1, 10), (2, 1, 20), (2, 2, 5)) s(d, r, v)';
    const by = { materialization: 'partition_overwrite', partition_by: ['d'] };
    const split = await hydrated('split', sql, 'gold.acme.split', by);
    await run(split, { reason: 'first', extent: 'full' });
    t.equal(await divide(split, { partition_by: ['R'] }), 'partitions_differ');
    t.match(await readOf(split), {
      ...{ status: 'warning', detail: /divided by `d`/ },
      next: [{ operation: 'transforms.materialize', params: { full: 'true' } }],
    });
    t.match(await materialized(split), { status: 'failed', failure: { code: 'partitions_differ', hint: /full run/ } });
    t.strictSame(await shown('split'), ['1,1,10', '2,1,20', '2,2,5']);
    await run(split, { reason: 'full_asked', extent: 'full' }, { full: true });
    t.match(await readOf(split), { status: 'pass' });
    // Of the partition r = 1 alone.
    t.equal(await divide(split, { sql: 'select 7 as d, 1 as r, 70 as v' }), null);
    await run(split, { reason: 'definition_changed', extent: null });
    t.strictSame(await shown('split'), ['2,2,5', '7,1,70']);
    const kept = await hydrated('kept', `select id, day, v from ${EVENTS}`, 'gold.acme.kept', {
      ...by,
      partition_by: ['day'],
      ...incremental,
    });
    await run(kept, { reason: 'first', extent: 'full' });
    t.equal(await divide(kept, { partition_by: ['id', 'day'] }), null, 'with an increment it is full by itself');
    await run(kept, { reason: 'definition_changed', extent: 'full' });
    await land('(8, 8, 80)');
    await run(kept, { reason: 'input_moved', extent: 'increment' });
    t.equal((await shown('kept')).filter((row) => row === '8,8,80').length, 1);
  });

  await t.test('an input whose rows are replaced → full, with the reason', async (t) => {
    const replaced = { sql: 'select 7 as id, 7 as day, 7 as v', materialization: 'full' as const };
    await ok(endpoints.changeTransform, { params: events, body: replaced });
    await ok(endpoints.hydrateTransform, { params: events });
    await materialized(events);
    await run(copied, { reason: 'input_overwritten', extent: 'full' });
    t.strictSame(await shown('copied'), ['7,14']);
  });

  await t.test('a key of several rows in a full run → key_doubled, and the table is as before', async (t) => {
    const failing = async (sql: string) => {
      await ok(endpoints.changeTransform, { params: latest, body: { sql } });
      await ok(endpoints.hydrateTransform, { params: latest });
      return (await materialized(latest)).failure?.code;
    };
    t.equal(await failing(`select id, v from ${EVENTS}, range(2)`), 'key_doubled');
    t.strictSame(await shown('latest'), then[1]);
  });

  await t.test('an output that was another table, or was rolled back → full, with the reason', async (t) => {
    const moved = { reason: 'output_moved', extent: 'full' };
    const move = async (params: { transform_id: string }, output: string) => {
      await ok(endpoints.changeTransform, { params, body: { output } });
      await ok(endpoints.hydrateTransform, { params });
    };
    const only = await hydrated('only', 'select 1 as v', 'silver.acme.only');
    await materialized(only);
    const grown = await hydrated('grown', `select id, v from ${EVENTS}`, 'silver.acme.grown', {
      ...{ materialization: 'append', ...incremental },
    });
    await materialized(grown);
    for (const [params, name] of [
      [only, 'only'],
      [grown, 'grown'],
    ] as const) {
      await move(params, `silver.acme.${name}_away`);
      t.match(await materialized(params), { status: 'succeeded' });
      const sql = name === 'only' ? 'select 2 as v' : 'select 99 as id, 99 as v';
      const other = await hydrated(`${name}_other`, sql, `silver.acme.${name}`, { materialization: 'append' });
      await materialized(other);
      await ok(endpoints.deleteTransform, { params: other });
      await move(params, `silver.acme.${name}`);
      await run(params, moved);
      t.match(await materialized(params), { status: 'skipped' }, 'it stands at its own commit again');
    }
    t.strictSame(await rows('silver.acme.only'), [[1]]);
    t.strictSame(await rows('silver.acme.grown'), [[7, 7]]);

    const where = "table_namespace = 'silver.acme' and table_name = 'grown'";
    const pointer = async () =>
      String(
        (await database.peek(`select metadata_location from catalog.iceberg_tables where ${where}`))[0]
          ?.metadata_location,
      );
    const before = await pointer();
    await ok(endpoints.changeTransform, {
      params: events,
      body: { sql: 'select 8 as id, 8 as day, 8 as v', materialization: 'append' },
    });
    await ok(endpoints.hydrateTransform, { params: events });
    await materialized(events);
    await run(grown, { reason: 'input_moved', extent: 'increment' });
    await database.peek(`update catalog.iceberg_tables set metadata_location = '${before}' where ${where}`);
    t.strictSame(await rows('silver.acme.grown'), [[7, 7]], 'somebody rolled it back');
    await run(grown, moved);
    t.strictSame((await rows('silver.acme.grown')).toSorted(), [
      [7, 7],
      [8, 8],
    ]);
  });

  await t.test(
    'a statement that reads the clock → never skipped, at the moment of its run, no increment',
    async (t) => {
      const timed = await hydrated('timed', 'select run_started_at() as at', 'gold.acme.timed');
      const at = async () => Date.parse(String((await rows('gold.acme.timed'))[0]?.[0]));
      for (const reason of ['first', 'clock']) {
        const made = await materialized(timed);
        t.match(made, { status: 'succeeded', reason });
        t.equal(await at(), Date.parse(made.created_at), 'the time at which the run was made');
      }
      const due = { sql: `select id from ${EVENTS} where day <= epoch(now())`, output: 'gold.acme.due', name: 'due' };
      const made = await ok(endpoints.createTransform, { body: { ...due, materialization: 'append', ...incremental } });
      t.match(await call(endpoints.hydrateTransform, { params: { transform_id: made.transform_id } }), {
        problem: { code: 'materialization_refused', errors: [{ pointer: '/incremental', code: 'increment_clock' }] },
      });
    },
  );

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
