import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { localPath } from '@weir/lakehouse';
import t from 'tap';
import { getDataset, listDatasetSnapshots, listDatasets, listQuarantine, previewDataset } from '../src/contract.ts';
import { batch, lake } from './kit.ts';

t.test('a table that a source lands in is listed, described, previewed and has snapshots', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const big = '9007199254740993';
  await world.land(acme, 'orders', [{ id: 1, name: 'a' }]);
  const second = await world.land(acme, 'orders', [{ id: 2, name: 'b' }, { name: 'no id' }]);
  const { call } = world.as('acme', 'viewer');
  const listed = await call(listDatasets);
  t.match(listed, {
    ok: true,
    body: {
      items: [
        { dataset_id: 'bronze.acme.orders', total_records: '3', total_data_files: 2, snapshot_id: second.snapshotId },
      ],
      total: 1,
      next_page_token: null,
    },
  });
  const params = { dataset_id: 'bronze.acme.orders' };
  const detail = await call(getDataset, { params });
  t.match(detail, {
    ok: true,
    body: {
      producer: { kind: 'source' },
      schema: {
        columns: [
          { name: 'id', type: 'long' },
          { name: 'name', type: 'string' },
        ],
      },
    },
  });
  const preview = await call(previewDataset, { params, query: { limit: 2 } });
  t.match(preview, {
    ok: true,
    body: { columns: [{ name: 'id', type: 'long' }], has_more: true, snapshot_id: second.snapshotId },
  });
  t.equal(preview.ok && preview.body.rows.length, 2);
  const snapshots = await call(listDatasetSnapshots, { params, query: { limit: 1 } });
  t.match(snapshots, {
    ok: true,
    body: { items: [{ snapshot_id_exact: second.snapshotId, operation: 'append', added_records: '2' }], total: 2 },
  });
  const next = snapshots.ok ? snapshots.body.next_page_token : null;
  const rest = await call(listDatasetSnapshots, { params, query: { limit: 1, page_token: next! } });
  t.match(rest, { ok: true, body: { items: [{ added_records: '1' }], next_page_token: null } });
  const first = rest.ok ? rest.body.items[0]?.snapshot_id_exact : '';
  const then = await call(previewDataset, { params, query: { snapshot_id: first! } });
  t.match(then, { ok: true, body: { rows: [['1', 'a']], has_more: false } }, 'an earlier snapshot is read as it was');
  const raw = await world.app.inject({ url: '/api/v1/datasets/bronze.acme.orders/snapshots', headers: {} });
  t.equal(raw.statusCode, 401);
  t.ok(big);
});

t.test('the numeric snapshot id has all its digits on the wire', async (t) => {
  const world = await lake(t);
  const { snapshotId } = await world.land(await world.tenant('acme'), 'orders', [{ id: 1 }]);
  const answer = await world.as('acme').call(listDatasetSnapshots, { params: { dataset_id: 'bronze.acme.orders' } });
  // The client keeps integers that a double cannot hold as text, so equality here is equality on the wire.
  t.equal(answer.ok && String(answer.body.items[0]?.snapshot_id), snapshotId);
});

t.test(
  'charset is 400, not produced is 403 whether it exists or not, absent in a readable namespace is 404',
  async (t) => {
    const world = await lake(t);
    await world.land(await world.tenant('acme'), 'orders', [{ id: 1 }]);
    await world.land(await world.tenant('other'), 'orders', [{ id: 1 }]);
    const { call } = world.as('acme', 'viewer');
    const code = async (dataset_id: string) => {
      const answer = await call(getDataset, { params: { dataset_id } });
      return answer.ok ? 'ok' : `${answer.status} ${answer.problem.code}`;
    };
    for (const id of [
      'orders',
      'a.b',
      'bronze.acme.orders.x',
      'bronze.acme.or ders',
      "bronze.acme.o'",
      'bronze.acme.a--b',
      'bronze.acme.a;b',
      'bronze..x',
      'bronze.acme.é',
      '"bronze".acme.x',
    ]) {
      t.equal(await code(id), '400 invalid_dataset_id', id);
    }
    t.equal(await code('bronze.other.orders'), '403 dataset_not_readable', 'exists');
    t.equal(await code('bronze.other.nothing'), '403 dataset_not_readable', 'does not exist');
    t.equal(await code('silver.acme.orders'), '403 dataset_not_readable', 'own scope, but nothing produces it');
    t.equal(await code('bronze.acme.nothing'), '404 not_found');
    t.equal(await code('raw.shared.nothing'), '404 not_found', 'the shared namespaces are readable by everyone');
    t.equal(await code('bronze.acme.orders'), 'ok');
  },
);

t.test('a table that no sync writes → it has no quarantine, and asking for it is no refusal', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const ref = { namespace: 'gold.acme', table: 'kpi' };
  const { runId, leaseEpoch } = await world.run(acme);
  await world.kernel
    .db(acme)
    .transaction((tx) => world.producers.register(tx, { ref, kind: 'transform', producerId: runId }));
  const files = await world.stage(acme, ref, [{ id: 1 }], runId);
  await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] });
  const answer = await world.as('acme', 'viewer').call(listQuarantine, { params: { dataset_id: 'gold.acme.kpi' } });
  t.match(answer, { ok: true, body: { quarantine_dataset_id: null, items: [], total: 0 } });
});

t.test('a data file that was cut short is a problem with a hint and never a 500', async (t) => {
  const world = await lake(t);
  await world.land(await world.tenant('acme'), 'orders', [{ id: 1, name: 'x'.repeat(100) }]);
  const detail = await world.as('acme').call(getDataset, { params: { dataset_id: 'bronze.acme.orders' } });
  const location = detail.ok ? detail.body.metadata_location : '';
  const data = join(localPath(location), '..', '..', 'data');
  for (const name of readdirSync(data)) truncateSync(join(data, name), 40);
  const answer = await world.as('acme').call(previewDataset, { params: { dataset_id: 'bronze.acme.orders' } });
  t.match(answer, { ok: false, status: 502, problem: { code: 'dataset_unreadable', hint: String } });
});

t.test('lists page by dataset id, filter by namespace and search, and refuse a token of another order', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  for (const table of ['b', 'a', 'c_x']) await world.land(acme, table, [{ id: 1 }]);
  const { call } = world.as('acme');
  const page = await call(listDatasets, { query: { limit: 2 } });
  t.match(page, { ok: true, body: { items: [{ table: 'a' }, { table: 'b' }], total: 3 } });
  const token = page.ok ? page.body.next_page_token! : '';
  t.match(await call(listDatasets, { query: { limit: 2, page_token: token } }), {
    ok: true,
    body: { items: [{ table: 'c_x' }], next_page_token: null },
  });
  t.match(await call(listDatasets, { query: { page_token: token, order: '-dataset_id' } }), {
    ok: false,
    problem: { code: 'invalid_page_token' },
  });
  t.match(await call(listDatasets, { query: { search: 'C_' } }), { ok: true, body: { total: 1 } });
  t.match(await call(listDatasets, { query: { namespace: 'bronze.other' } }), {
    ok: true,
    body: { items: [], total: 0 },
  });
});
