import { runProblems } from '@weir/kernel/contract';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { ONTOLOGY_SYNC_V2 } from '../src/model/run-kinds.ts';
import { mappedCars, property, setUp, vehicle } from './kit.ts';

const CARS = 'bronze.acme.cars';
const columns = { vin: 'string', speed: 'double', mph: 'double', name: 'string' };
const BODY = { ...mappedCars('acme'), name: 'Müller & Söhne' };
const SPEED = [...BODY.property_mappings, { column: 'speed', property: 'speed' }];

async function world(t: Parameters<typeof setUp>[0], given: Parameters<typeof setUp>[1] = {}) {
  const app = await setUp(t, { tables: { [CARS]: { columns, snapshotId: '9007199254740993' } }, ...given });
  await app.call(endpoints.createEntityType, { body: vehicle([property('speed', 'double')]) as never });
  const create = (more: object = {}, headers?: Record<string, string>) =>
    app.call(endpoints.createBackingDataset, { body: { ...BODY, ...more } as never }, headers);
  const made = async (more: object = {}) => {
    const answer = await create(more);
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };
  const change = (id: string, body: object, headers?: Record<string, string>) =>
    app.call(endpoints.changeBackingDataset, { params: { backing_dataset_id: id }, body: body as never }, headers);
  return { ...app, create, made, change };
}
const refused = (status: number, code: string, more: object = {}) => ({ status, problem: { code, ...more } });

t.test('backing datasets are made, read, changed and deleted', async (t) => {
  const { call, create, made, change, tenants, kernel } = await world(t);

  await t.test('one that fits → it is kept with every member, and its first sync is pending', async (t) => {
    const body = await made();
    t.match(body, {
      ...{ ...BODY, tenant: 'acme', state: 'pending', applied: null, etag: '1', created_by: 'admin@acme' },
      ...{ delete_policy: 'mirror', duplicate_keys: 'fail', null_keys: 'fail', merge_mode: 'replace' },
      ...{ identity_policy: null, row_filter: null, relationship_mappings: [], max_rejected_rows: 0 },
    });
    const params = { backing_dataset_id: body.backing_dataset_id };
    t.match(await call(endpoints.getBackingDataset, { params }), { status: 200, body });
    t.match(await call(endpoints.listBackingDatasets, { query: { entity_type_code: 'Vehicle' } }), {
      body: { items: [{ name: 'Müller & Söhne', properties_count: 1, state: 'pending', last_run_id: null }] },
    });
    t.match(await call(endpoints.listBackingDatasets, { query: { dataset_id: 'bronze.acme.other' } }), {
      body: { items: [] },
    });
    t.match(await call(endpoints.listPendingSyncs), {
      body: { items: [{ reason: 'initial', snapshot_id: null, applied_snapshot_id_exact: null, tenant: 'acme' }] },
    });
    t.match(await create({ name: 'MÜLLER & SÖHNE' }), refused(409, 'backing_dataset_name_taken'));
  });

  await t.test('what the table, the type or the tenant forbids', async (t) => {
    t.match(await create({ dataset_id: "bronze.acme.cars'--" }), refused(400, 'invalid_dataset_id'));
    t.match(await create({ dataset_id: 'bronze.other.cars' }), refused(403, 'dataset_not_readable'));
    const errors = [{ pointer: '/dataset_id', code: 'not_found' }];
    t.match(await create({ dataset_id: 'bronze.acme.gone' }), refused(422, 'backing_dataset_invalid', { errors }));
    for (const missing of [{ entity_type_version: 2 }, { entity_type_code: 'Vessel' }])
      t.match(await create(missing), refused(422, 'entity_type_missing'));
    t.match(
      await create({ identity_policy: { policy_id: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90', version: 1 } }),
      refused(422, 'identity_policy_unsupported'),
    );
    t.match(await create({ tenant: 'other' }), refused(422, 'tenant_mismatch'));
    const mapping = [...BODY.property_mappings, { column: 'sped', property: 'speed' }];
    t.match(
      await create({ name: 'x', property_mappings: mapping }),
      refused(422, 'backing_dataset_invalid', {
        errors: [{ pointer: '/property_mappings/1/column', code: 'unknown_column', message: /did you mean `speed`/ }],
      }),
    );
    t.match(await create({ colour: 'red' }), refused(400, 'validation_failed'));
  });

  await t.test('suggestions pass the same ladder: the table, the binding, the type', async (t) => {
    const suggest = (more: object) =>
      call(endpoints.suggestMappings, { body: { dataset_id: CARS, entity_type_code: 'Vehicle', ...more } });
    t.match(await suggest({ dataset_id: "bronze.acme.cars'--" }), refused(400, 'invalid_dataset_id'));
    t.match(
      await suggest({ dataset_id: 'bronze.other.cars', entity_type_code: 'Vessel' }),
      refused(403, 'dataset_not_readable'),
    );
    t.match(await suggest({ dataset_id: 'bronze.acme.gone' }), refused(404, 'not_found'));
    t.match(await suggest({ version: 2 }), refused(422, 'entity_type_missing'));
    const preview = (more: object) => call(endpoints.previewBackingDataset, { body: { ...BODY, ...more } as never });
    t.match(await preview({ dataset_id: "bronze.acme.cars'--" }), refused(400, 'invalid_dataset_id'));
    t.match(await preview({ dataset_id: 'bronze.other.cars' }), refused(403, 'dataset_not_readable'));
    t.match(await preview({ primary_key_mapping: [] }), refused(400, 'validation_failed'));
    t.match(await preview({ tenant: 'other' }), refused(422, 'tenant_mismatch'));
  });

  await t.test('a change of the mapping is pending; other changes are not; a stale etag is refused', async (t) => {
    const { backing_dataset_id: id } = await made({ name: 'changed' });
    await kernel.db(tenants.acme).transaction((tx) =>
      tx.sql(
        `update ontology.backing_dataset set pending_since = null, pending_reason = null, applied_at = now(),
           applied_run_id = $2, applied_snapshot_id = 9007199254740993, applied_sync_spec_fingerprint = 'v2:x'
         where backing_dataset_id = $1`,
        [id, id],
      ),
    );
    t.match(await change(id, { max_rejected_rows: 3, name: 'renamed' }, { 'if-match': '"1"' }), {
      body: {
        ...{ name: 'renamed', state: 'in_step', etag: '2', max_rejected_rows: 3 },
        applied: { snapshot_id_exact: '9007199254740993', run_id: id, sync_spec_fingerprint: 'v2:x' },
      },
    });
    t.match(await change(id, { sync: 'on_snapshot' }, { 'if-match': '"1"' }), refused(412, 'precondition_failed'));
    t.match(await change(id, { name: 'renamed' }), { body: { etag: '2' } }, 'nothing has changed');
    t.match(await change(id, { property_mappings: SPEED, merge_mode: 'owned_properties', max_rejected_rows: null }), {
      body: { state: 'pending', etag: '3', max_rejected_rows: 0, merge_mode: 'owned_properties' },
    });
    const pending = await call(endpoints.listPendingSyncs);
    t.match(pending.ok && pending.body.items.find((one) => one.backing_dataset_id === id), {
      ...{ reason: 'effective_spec_changed', applied_snapshot_id_exact: '9007199254740993' },
    });
    t.match(
      await change(id, { dataset_id: null }),
      refused(400, 'validation_failed', { errors: [{ pointer: '/dataset_id' }] }),
    );
    t.match(await change(id, { primary_key_mapping: [] }), refused(400, 'validation_failed'));

    const other = await made({ name: 'owner of nothing', merge_mode: 'owned_properties' });
    t.match(
      await change(other.backing_dataset_id, { property_mappings: SPEED }),
      refused(409, 'property_taken', { errors: [{ pointer: '/property_mappings/1/property', code: 'taken' }] }),
    );
    t.match(
      await create({ name: 'second', merge_mode: 'owned_properties', property_mappings: SPEED }),
      refused(409, 'property_taken'),
    );
  });

  await t.test('types know who fills them', async (t) => {
    const params = { code: 'Vehicle' };
    t.match(await call(endpoints.getEntityType, { params }), { body: { backing_datasets_count: 3 } });
    t.match(await call(endpoints.listEntityTypes), { body: { items: [{ backing_datasets_count: 3 }] } });
    t.match(
      await call(endpoints.retireEntityType, { params }),
      refused(409, 'entity_type_in_use', { used_by: [{ kind: 'backing-dataset' }, {}, {}] }),
    );
    const { code: _, ...document } = vehicle();
    t.match(
      await call(endpoints.createEntityTypeVersion, { params, body: { document, base_version: 1 } as never }),
      refused(409, 'incompatible_version', {
        changes: [{ pointer: '/properties/speed', change: 'mapped_property_removed', breaking: true }],
      }),
    );
  });

  await t.test('one is deleted, but not while its run is open', async (t) => {
    const { backing_dataset_id } = await made({ name: 'short-lived' });
    const params = { backing_dataset_id };
    const started = await call(endpoints.syncBackingDataset, { params, query: { queue: true } });
    const run_id = started.ok ? started.body.run_id : '';
    const open = refused(409, runProblems.runAlreadyActive.entry.code, { run_id });
    t.match(await call(endpoints.deleteBackingDataset, { params }), open);
    await kernel.runs.finish(tenants.acme, run_id, { status: 'failed' });
    t.match(await call(endpoints.deleteBackingDataset, { params, query: { entities: 'remove' } }), { status: 204 });
    t.match(await call(endpoints.getBackingDataset, { params }), refused(404, 'not_found'));
    t.match(await call(endpoints.deleteBackingDataset, { params }), refused(404, 'not_found'));
  });
});

t.test('syncs are started, and each run is read exactly', async (t) => {
  const { call, made, tenants, kernel, as } = await world(t);
  const { backing_dataset_id } = await made();
  const params = { backing_dataset_id };
  const sync = (query: object = {}) => call(endpoints.syncBackingDataset, { params, query: { queue: true, ...query } });

  t.match(await call(endpoints.getSyncCapabilities), {
    body: { sync_contract_version: 2, supports_exact_run_polling: true, supports_force_replay: true },
  });
  const started = await sync({ force: true });
  const run_id = started.ok ? started.body.run_id : '';
  t.match(started, {
    status: 202,
    body: { status: 'pending', force: true, sync_contract_version: 2, attempted_sync_spec_fingerprint: /^v2:/ },
  });
  t.match(await sync(), refused(409, 'run_already_active', { run_id }));
  t.match(await call(endpoints.getBackingDataset, { params }), { body: { state: 'syncing' } });

  await kernel.db(tenants.acme).transaction(async (tx) => {
    const chunk =
      'insert into ontology.bulk_chunk (tenant_id, run_id, operation, seq, digest, job_id, submitted, completed, state) values';
    const of = [tenants.acme.tenantId, run_id];
    await tx.sql(
      `${chunk} ($1, $2, 'upsert', 0, 'd', 'j1', 5, 5, 'done'), ($1, $2, 'upsert', 1, 'd', 'j1', 2, 1, 'done')`,
      of,
    );
    await tx.sql(`${chunk} ($1, $2, 'delete', 0, 'd', 'j2', 1, 1, 'done')`, of);
    await tx.sql(
      `update ontology.sync_run set mode = 'full', replay_reason = 'forced', effective_spec_changed = false, snapshot_id = 18446744073709551615,
         counts = '{"read": 8, "upserted": 6, "deleted": 1, "unchanged": 0, "rejected": 1}' where tenant_id = $1 and run_id = $2`,
      of,
    );
  });
  await kernel.runs.finish(tenants.acme, run_id, { status: 'succeeded' });
  const run = { ...params, run_id };
  const read = await call(endpoints.getSyncRun, { params: run });
  t.match(read.ok && read.body, {
    ...{ status: 'succeeded', is_terminal: true, rows_synced: 7, contract: 2, mode: 'full', replay_reason: 'forced' },
    ...{ effective_spec_changed: false, snapshot_id_exact: '18446744073709551615', counts: { read: 8, rejected: 1 } },
    bulk_jobs: [
      { job_id: 'j1', operation: 'upsert', submitted_count: 7, completed_count: 6 },
      { job_id: 'j2', operation: 'delete', submitted_count: 1, completed_count: 1 },
    ],
  });
  t.strictSame(read.ok && read.body.bulk_jobs?.map((job) => Object.keys(job).sort()), [
    ['completed_count', 'job_id', 'operation', 'submitted_count'],
    ['completed_count', 'job_id', 'operation', 'submitted_count'],
  ]);
  t.match(await call(endpoints.listSyncRuns, { params }), {
    body: { items: [{ run_id, rows_synced: 7, status: 'succeeded' }] },
  });
  t.match(await call(endpoints.readSyncRunLog, { params: run }), { body: { ended: true, items: [] } });
  const other = await made({ name: 'another one' });
  const foreign = { backing_dataset_id: other.backing_dataset_id, run_id };
  for (const endpoint of [endpoints.getSyncRun, endpoints.readSyncRunLog])
    t.match(await call(endpoint, { params: foreign }), refused(404, 'not_found'), 'a run of another backing dataset');
  for (const endpoint of [endpoints.getSyncRun, endpoints.readSyncRunLog])
    t.match(await as('other').call(endpoint, { params: run }), refused(404, 'not_found'), 'a run of another tenant');

  await t.test('an older contract → the members of V2 are left out, and force is refused', async (t) => {
    await kernel
      .db(tenants.acme)
      .transaction((tx) => tx.sql('update ontology.sync_run set contract = 1 where run_id = $1', [run_id]));
    const old = await call(endpoints.getSyncRun, { params: run });
    t.ok(old.ok, 'the answer without them is one of the schema');
    for (const name of ['force', 'replay_reason', 'effective_spec_changed', 'attempted_sync_spec_fingerprint'])
      t.notOk(old.ok && name in old.body, name);
  });
  t.equal(ONTOLOGY_SYNC_V2.kind, 'ontology-sync-v2');
});

t.test('health says what a sync needs', async (t) => {
  const tables = { [CARS]: { columns, snapshotId: '5' } };
  const { call, made } = await world(t, { tables });
  const { backing_dataset_id } = await made({ property_mappings: SPEED });
  const checks = async () => {
    const answer = await call(endpoints.getBackingHealth, { params: { backing_dataset_id } });
    return answer.ok ? Object.fromEntries(answer.body.checks.map(({ check, status }) => [check, status])) : answer;
  };
  const well = {
    ...{ binding: 'pass', table: 'pass', columns: 'pass', type_version: 'pass', key_mapped: 'pass' },
    ...{ relationships: 'pass', store_reachable: 'pass', last_run: 'warning', lag_snapshots: 'warning' },
    drift: 'pass',
  };
  t.strictSame(await checks(), well);
  const readiness = async () => {
    const answer = await call(endpoints.getBackingReadiness, { params: { backing_dataset_id } });
    if (!answer.ok) throw new Error(answer.problem.code);
    return [answer.body.ready, Object.fromEntries(answer.body.checks.map(({ check, status }) => [check, status]))];
  };
  const ready = {
    entity_type_version: 'pass',
    table_columns: 'pass',
    key_mapped: 'pass',
    relationships_mapped: 'pass',
    health: 'pass',
    history: 'warning',
    binding: 'pass',
    worker: 'pass',
  };
  t.strictSame(await readiness(), [true, ready]);
  tables[CARS] = { columns: { ...columns, speed: 'string' }, snapshotId: '6' };
  t.strictSame(await checks(), { ...well, columns: 'fail' });
  t.strictSame(await readiness(), [false, { ...ready, table_columns: 'fail' }]);
  delete (tables as Record<string, unknown>)[CARS];
  t.match(await checks(), { table: 'fail', columns: 'fail', lag_snapshots: 'fail' });
});

t.test('expressions are judged as parts of one statement, by pointers', async (t) => {
  const asked: string[] = [];
  const answers: object[] = [];
  const { create } = await world(t, {
    async validate(_, { sql }) {
      asked.push(sql);
      return {
        valid: true,
        faults: [],
        inputs: [{}],
        columns: [],
        lineage: [],
        estimate: null,
        ...answers.shift(),
      } as never;
    },
  });
  const mph = { expression: 'mph * 1.609344 -- km/h', property: 'speed' };
  const body = { name: 'by sql', property_mappings: [...BODY.property_mappings, mph], row_filter: "name <> ''" };
  const columnsOf = (type: unknown, filter = 'boolean') => ({
    columns: [
      { name: 'r', type: 'string' },
      { name: 'e0', type },
      { name: 'e1', type: filter },
    ],
  });
  answers.push(columnsOf('double'));
  t.match(await create(body), { status: 201 });
  t.equal(
    asked[0],
    `select "vin" as r, (\nmph * 1.609344 -- km/h\n) as e0, (\nname <> ''\n) as e1 from "bronze"."acme"."cars"`,
  );
  answers.push(columnsOf('string'));
  const invalid = (errors: object[]) => refused(422, 'backing_dataset_invalid', { errors });
  const at = '/property_mappings/1/expression';
  t.match(await create({ ...body, name: 'b' }), invalid([{ pointer: at, code: 'not_castable' }]));
  answers.push(columnsOf('double', 'string'));
  t.match(await create({ ...body, name: 'b' }), invalid([{ pointer: '/row_filter', code: 'not_boolean' }]));
  answers.push({
    faults: [
      { code: 'function_refused', line: 2 },
      { code: 'column_unknown', line: 4, nearest: 'name' },
    ],
  });
  t.match(
    await create({ ...body, name: 'c' }),
    invalid([
      { pointer: at, code: 'function_refused' },
      { pointer: '/row_filter', code: 'column_unknown' },
    ]),
  );
  for (const broken of [{ columns: [{ name: 'r', type: 'int' }] }, { ...columnsOf('double'), inputs: [{}, {}] }]) {
    answers.push(broken);
    t.match(await create({ ...body, name: 'd' }), invalid([{ pointer: at, code: 'not_one_value' }]));
  }
});

t.test(
  'a type that is retired while a mapping of it is judged → the mapping is refused, and nothing is kept',
  async (t) => {
    const { call, create } = await world(t, {
      async validate() {
        t.match(await call(endpoints.retireEntityType, { params: { code: 'Vehicle' } }), { status: 204 });
        const columns = ['r', 'e0'].map((name) => ({ name, type: 'boolean' }));
        return { valid: true, faults: [], inputs: [{}], columns, lineage: [], estimate: null } as never;
      },
    });
    t.match(await create({ row_filter: "name <> ''" }), refused(422, 'entity_type_missing'));
    t.match(await call(endpoints.listBackingDatasets), { body: { items: [] } });
  },
);
