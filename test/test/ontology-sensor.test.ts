import {
  createBackingDataset,
  createEntityType,
  getBackingHealth,
  getBackingReadiness,
  getSyncRun,
  listEntities,
  listSyncRuns,
  previewBackingDataset,
  readSyncRunLog,
  suggestMappings,
} from '@weir/plugin-ontology/contract';
import { getRun } from '@weir/plugin-runs/contract';
import t, { type Test } from 'tap';
import { runWorld } from '../../plugins/transforms/test/run-kit.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

const REVENUE = 'silver.acme.revenue';
const ROWS = `select 'v' || i as vin, i::int as sales, 'Müller & Söhne' as label from range(3) r(i)
  union all select 'n' || epoch_us(run_started_at()), 1, 'new'`;

const PROPERTIES = [
  { code: 'vin', value_type: 'string' as const, required: true },
  { code: 'label', value_type: 'string' as const },
  { code: 'sales', value_type: 'long' as const },
];
const body = (expression: string, more: object = {}) => ({
  ...{ name: 'shops', dataset_id: REVENUE, entity_type_code: 'Shop', entity_type_version: 1 },
  property_mappings: [
    { column: 'vin', property: 'vin' },
    { column: 'label', property: 'label' },
    { expression, property: 'sales' },
  ],
  primary_key_mapping: [{ column: 'vin', property: 'vin' }],
  duplicate_keys: { last_by: 'sales' },
  ...more,
});

/** What is suggested for the table, and what a mapping would make of it. */
async function seenBefore(t: Test, { ok, call }: Pick<Awaited<ReturnType<typeof runWorld>>, 'ok' | 'call'>) {
  const suggested = await ok(suggestMappings, { body: { dataset_id: REVENUE, entity_type_code: 'Shop' } });
  t.strictSame(
    suggested.mappings.map(({ property, column, confidence }) => [property, column, confidence]),
    ['vin', 'label', 'sales'].map((name) => [name, name, 'sure']),
  );
  t.match(suggested, { unmapped_required: [], key: { columns: ['vin'], unique: true, nulls: 0 } });
  const refuted = "case when vin = 'v1' then 'x' else sales::varchar end::long";
  t.match(await call(previewBackingDataset, { body: body(refuted) }), { status: 422, problem: { code: /sql_/ } });
  const seen = await ok(previewBackingDataset, {
    body: body("try_cast(replace(sales::varchar, '2', 'x') as bigint) * 2", {
      row_filter: "vin like 'v%' -- new ones",
    }),
  });
  t.match(seen, { dataset_id: REVENUE, has_more: false, snapshot_id: /^\d+$/ });
  t.strictSame(seen.entities[1], {
    row: 2,
    key: 'v1',
    deleted: false,
    properties: { vin: 'v1', label: 'Müller & Söhne', sales: '2' },
    links: [],
    faults: [],
  });
  t.strictSame(
    seen.entities.map(({ properties: { sales = null } }) => sales),
    ['0', '2', null],
  );
}

const AT = '/property_mappings/2/expression';
const REFUSALS: [expression: string, code: string, pointer?: string, more?: object][] = [
  ["getenv('HOME')", 'function_refused'],
  [`(select max(vin) from ${REVENUE})`, 'other_rows'],
  ['sum(sales)', 'column_not_grouped'],
  ['sals', 'column_unknown'],
  ["sales || 'x'", 'not_castable'],
  ['sales), (sales', 'not_one_value'],
  ['sales', 'column_unknown', '/row_filter', { row_filter: 'labl is not null' }],
];

t.test('a commit by a worker → the sync follows, and entities are the rows; expressions pass the gate', async (t) => {
  const world = await runWorld(t);
  const { ok, call } = world;
  await startWorker(t, world.environment, 'transform');
  await startWorker(t, world.environment, 'ontology-sync-v2');
  const revenue = await world.hydrated('revenue', ROWS, REVENUE, { materialization: 'append' });
  await world.materialized(revenue, { force: true });
  await ok(createEntityType, { body: { code: 'Shop', properties: PROPERTIES, primary_key: ['vin'] } });
  const found: (readonly [string, string | undefined, string | undefined])[] = [];
  for (const [expression, , , more] of REFUSALS) {
    const answer = await call(createBackingDataset, { body: body(expression, more) });
    const [first] = answer.ok ? [] : (answer.problem.errors ?? []);
    found.push([expression, first?.code, first?.pointer]);
  }
  t.strictSame(
    found,
    REFUSALS.map(([expression, code, pointer = AT]) => [expression, code, pointer]),
  );

  await seenBefore(t, world);

  const { backing_dataset_id } = await ok(createBackingDataset, {
    body: body('cast(sales as bigint) * 2 -- doubled', { row_filter: "label <> 'nothing'" }),
  });
  const params = { backing_dataset_id };
  const ended = (count: number) =>
    until(`the end of ${count} syncs`, async () => {
      const { items } = await ok(listSyncRuns, { params });
      return items.length === count && items.every(({ is_terminal }) => is_terminal) ? items : undefined;
    });
  const [first] = await ended(1);
  t.match(first, { status: 'succeeded', mode: 'full', replay_reason: 'initial', requested_by: 'sensor' });
  const entities = async () => (await ok(listEntities, { params: { code: 'Shop' } })).items;
  t.match(
    (await entities()).find(({ key }) => key === 'v2'),
    { properties: { label: 'Müller & Söhne', sales: '4' } },
  );
  t.equal((await entities()).length, 4);

  await world.materialized(revenue, { force: true });
  const [second] = await ended(2);
  t.match(second, { status: 'succeeded', requested_by: 'sensor', effective_spec_changed: false });
  t.equal((await entities()).length, 5, 'one row has a new key');
  const run = { ...params, run_id: second?.run_id ?? '' };
  const { bulk_jobs = [], rows_synced } = await ok(getSyncRun, { params: run });
  t.equal(
    bulk_jobs.reduce((sum, { completed_count }) => sum + completed_count, 0),
    rows_synced,
  );
  const { items: lines } = await ok(readSyncRunLog, { params: run });
  t.equal((await ok(getRun, { params: { id: run.run_id } })).attempt, 1, 'nothing was tried again');
  t.ok(lines.length > 0);
  t.notMatch(JSON.stringify([lines, bulk_jobs]), /Müller/, 'no row is in log or jobs');
  t.match(await ok(getBackingReadiness, { params }), { ready: true, subject: 'backing-dataset' });
  const { checks } = await ok(getBackingHealth, { params });
  t.strictSame(
    checks.filter(({ status }) => status !== 'pass'),
    [],
  );
});
