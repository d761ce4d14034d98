import { getDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { startWorker } from '../../../test/worker-process.ts';
import * as endpoints from '../src/contract.ts';
import { runWorld } from './run-kit.ts';

const CODES = 'silver.acme.codes';
const FLIGHTS = 'gold.acme.flights';
const MADE = 'gold.acme.made';
const checksOf = (severity: 'fail' | 'warn') => [
  { name: 'has_code', kind: 'not_null' as const, columns: ['code'], severity },
  { name: 'one_row_an_id', kind: 'unique' as const, columns: ['id'], severity },
  { name: 'known_kind', kind: 'accepted_values' as const, column: 'kind', values: ['a', "it's", 'b'], severity },
  { name: 'known_code', kind: 'relationship' as const, column: 'code', to: CODES, severity },
  { name: 'some_rows', kind: 'row_count' as const, min: 3, max: 10, severity },
  { name: 'of_today', kind: 'freshness' as const, column: 'day', max_age_seconds: 86_400, severity },
  { name: 'odd "ids"'.replace(/\W+/g, '_'), kind: 'sql' as const, sql: 'from result where id % 2 = 0', severity },
];
const GOOD = `select * from (values (1, 'X', 'a', now()), (3, 'X', 'it''s', now()), (5, NULL, NULL, now())) v(id, code, kind, day) where code is not null or id <> 5 or false
  union all select 7, 'Y', 'b', now()`;
const BAD = "select * from (values (2, 'Z', 'c', date '2020-01-01'), (2, NULL, NULL, NULL)) v(id, code, kind, day)";

t.test('the checks of a run', async (t) => {
  const world = await runWorld(t);
  const { ok, call, hydrated, materialized, rows } = world;
  await startWorker(t, world.environment, 'transform');
  await materialized(await hydrated('codes', "select unnest(['X', 'Y']) as code", CODES));
  const flights = await hydrated('flights', GOOD, FLIGHTS, { checks: checksOf('fail') });
  const published = await materialized(flights);
  const statuses = ({ checks }: { checks: readonly { status: string }[] }) => checks.map(({ status }) => status);

  await t.test('all pass → published, with their results and the datasets that they read', async (t) => {
    t.match(published, { status: 'succeeded', rows: '3', inputs: [{ dataset_id: CODES }] });
    t.strictSame(new Set(statuses(published)), new Set(['passed']));
    t.equal(published.checks.length, checksOf('fail').length);
    const run = await ok(endpoints.getTransformRun, { params: { run_id: published.run_id } });
    t.match(run.lineage, [{ column: 'id', complete: true, sources: [] }, { column: 'code' }]);
  });

  await t.test(
    'some fail → the table as before, the run failed as check_failed, and rows that break them',
    async (t) => {
      const before = await rows(FLIGHTS);
      await ok(endpoints.changeTransform, { params: flights, body: { sql: BAD } });
      await ok(endpoints.hydrateTransform, { params: flights });
      const failed = await materialized(flights);
      t.match(failed, {
        ...{ status: 'failed', output_snapshot_id: null },
        failure: { code: 'check_failed', origin: 'data', retryable: false, detail: /has_code \(1 row\)/ },
      });
      t.strictSame(new Set(statuses(failed)), new Set(['failed']));
      t.strictSame(await rows(FLIGHTS), before);
      const { checks } = await ok(endpoints.readRunChecks, { params: { run_id: failed.run_id } });
      t.match(checks, [
        { name: 'has_code', failing_rows: '1', sample: { columns: [{ name: 'id' }], rows: [[2, null]] } },
        { name: 'one_row_an_id', sample: { rows: [[2, '2']] } },
        { failing_rows: '1', sample: { rows: [[2, 'Z', 'c']] } },
        { failing_rows: '1', sample: { rows: [[2, 'Z', 'c']] } },
        { failing_rows: '1', sample: { columns: [{ name: 'row_count' }], rows: [['2']] } },
        { failing_rows: '1', sample: { rows: [['2020-01-01']] } },
        { failing_rows: '2' },
      ]);
      t.match(await ok(endpoints.getTransform, { params: flights }), { last_run: { checks: failed.checks } });
    },
  );

  await t.test('some fail before there is a table, or with a column more → no table, and no column', async (t) => {
    const never = [{ name: 'few', kind: 'row_count' as const, max: 1 }];
    const two = 'select unnest([1, 2]) as id';
    const made = await hydrated('made', two, MADE, { checks: never });
    t.match(await materialized(made), { failure: { code: 'check_failed' } });
    t.match(await call(getDataset, { params: { dataset_id: MADE } }), { status: 404 });
    await ok(endpoints.changeTransform, { params: made, body: { checks: [], materialization: 'append' } });
    await ok(endpoints.hydrateTransform, { params: made });
    t.match(await materialized(made), { status: 'succeeded', rows: '2' });
    const before = await ok(getDataset, { params: { dataset_id: MADE } });
    await ok(endpoints.changeTransform, { params: made, body: { sql: `${two}, 'x' as more`, checks: never } });
    await ok(endpoints.hydrateTransform, { params: made });
    t.match(await materialized(made), { failure: { code: 'check_failed' } });
    t.strictSame(await ok(getDataset, { params: { dataset_id: MADE } }), before);
    await ok(endpoints.changeTransform, { params: made, body: { checks: [] } });
    await ok(endpoints.hydrateTransform, { params: made });
    t.match(await materialized(made), { status: 'succeeded' });
    t.match(await rows(MADE), { length: 4 }, 'the column comes with the rows');
  });

  await t.test('some fail that only warn → published, and recorded', async (t) => {
    await ok(endpoints.changeTransform, { params: flights, body: { checks: checksOf('warn') } });
    await ok(endpoints.hydrateTransform, { params: flights });
    const warned = await materialized(flights);
    t.match(warned, { status: 'succeeded', rows: '2' });
    t.strictSame(new Set(statuses(warned)), new Set(['warned']));
  });

  await t.test('one cannot be carried out, even if it only warns → not published', async (t) => {
    const before = await rows(FLIGHTS);
    const sql = "select * from result where cast(id || 'x' as integer) = 1";
    const checks = [{ name: 'broken', kind: 'sql' as const, severity: 'warn' as const, sql }];
    await ok(endpoints.changeTransform, { params: flights, body: { checks } });
    await ok(endpoints.hydrateTransform, { params: flights });
    const failed = await materialized(flights);
    t.match(failed, { failure: { code: 'check_failed' }, checks: [{ status: 'error', failing_rows: null }] });
    t.strictSame(await rows(FLIGHTS), before);
  });

  await t.test('checks at fault → refused by name before anything runs', async (t) => {
    const change = (checks: object[]) =>
      call(endpoints.changeTransform, { params: flights, body: { checks: checks as [] } });
    const faulty = async (checks: object[]) => {
      const changed = await change(checks);
      return changed.ok ? call(endpoints.hydrateTransform, { params: flights }) : changed;
    };
    const refusal = (faults: object[]) => ({ problem: { status: 422, code: 'checks_refused', faults } });
    const one = { name: 'one', kind: 'row_count' };
    t.match(await faulty([one]), refusal([{ check: 'one', code: 'bound_missing' }]));
    const repeated = [
      { ...one, min: 1 },
      { ...one, min: 2 },
    ];
    t.match(await faulty(repeated), refusal([{ check: 'one', code: 'name_repeated' }]));
    t.match(
      await faulty([{ name: 'one', kind: 'not_null', columns: ['nothere'] }]),
      refusal([{ check: 'one', code: 'column_unknown', line: undefined }]),
    );
    const sql = "select *\nfrom read_csv('/etc/passwd')";
    t.match(
      await faulty([{ name: 'one', kind: 'sql', sql }]),
      refusal([{ check: 'one', code: 'function_refused', line: 2, column: 6 }]),
    );
    t.match(await faulty([{ name: 'one', kind: 'relationship', column: 'code', to: FLIGHTS }]), {
      problem: { code: 'output_is_input' },
    });
    const values = { name: 'one', kind: 'accepted_values', column: 'id', values: [1, '1', true] };
    t.match(await change([values]), { body: { draft: { checks: [values] } } }, 'values keep their types');
  });
});
