import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localFileIO, prepareOverwrite, restCatalog } from '@weir/lakehouse';
import { startRestCatalog } from '@weir/lakehouse/testing';
import t from 'tap';
import { getDataset, listDatasetSnapshots, listDatasets, previewDataset } from '../src/contract.ts';
import { lake } from './kit.ts';

t.test('a table that another engine changed in the remote catalog is read as it is there', async (t) => {
  const warehouse = mkdtempSync(join(tmpdir(), 'weir-remote-'));
  t.teardown(() => rmSync(warehouse, { recursive: true }));
  const io = localFileIO({ root: warehouse });
  let closed = false;
  const server = await startRestCatalog({ io, warehouse, manyTables: true });
  t.teardown(() => (closed ? undefined : server.close()));
  const world = await lake(t, { WEIR_WAREHOUSE: warehouse, TABLE_CATALOG_URI: server.uri });
  t.strictSame(
    [...server.namespaces].filter((name) => name.endsWith('.shared')),
    ['raw.shared', 'registry.shared'],
    'the start has made the shared namespaces',
  );
  const tenant = await world.tenant('acme');
  const { ref } = await world.land(tenant, 'orders', [{ id: 1 }, { id: 2 }]);
  const preview = () => world.as('acme').call(previewDataset, { params: { dataset_id: 'bronze.acme.orders' } });
  t.match(await preview(), { status: 200, body: { rows: [{}, {}] } });

  const other = restCatalog({ uri: server.uri, catalogName: 'weir' });
  const ident = { namespace: ref.namespace, name: ref.table };
  const table = await other.loadTable(ident);
  if (table === undefined) throw new Error('the catalog has no such table');
  const emptied = await prepareOverwrite({ io, ...table, files: [], writeMetadata: false });
  t.equal(await other.commitTable(ident, emptied), 'committed');
  t.match(await preview(), { status: 200, body: { rows: [] } });

  closed = true;
  await server.close();
  t.match(await preview(), { status: 503, problem: { code: 'store_unavailable' } });
});

t.test('a table of the remote catalog that names files of another tenant → none of them is read', async (t) => {
  const warehouse = mkdtempSync(join(tmpdir(), 'weir-remote-'));
  t.teardown(() => rmSync(warehouse, { recursive: true }));
  const io = localFileIO({ root: warehouse });
  const server = await startRestCatalog({ io, warehouse, manyTables: true });
  t.teardown(() => server.close());
  const foreign = JSON.stringify({ acme: [`${warehouse}/lake/acme`] });
  const settings = { WEIR_WAREHOUSE: warehouse, TABLE_CATALOG_URI: server.uri, WEIR_FOREIGN_FOLDERS: foreign };
  const world = await lake(t, settings);
  const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
  const theirs = await world.land(other, 'secrets', [{ id: 1 }]);
  const { ref } = await world.land(acme, 'orders', [{ id: 2 }]);
  const remote = restCatalog({ uri: server.uri, catalogName: 'weir' });
  const victim = await remote.loadTable({ namespace: theirs.ref.namespace, name: theirs.ref.table });
  const ident = { namespace: ref.namespace, name: ref.table };
  const own = await remote.loadTable(ident);
  if (victim === undefined || own === undefined) throw new Error('the catalog has no such table');
  const params = { dataset_id: 'bronze.acme.orders' };
  const routes = [previewDataset, getDataset, listDatasetSnapshots] as unknown as (typeof getDataset)[];
  const refused = async (caller: ReturnType<typeof world.as>, expected: object) => {
    for (const route of routes) t.match(await caller.call(route, { params }), expected);
  };
  const shown = async (metadata: typeof own.metadata, location = own.metadataLocation) => {
    // What an engine that has the keys of the catalog can make of its own table.
    (server.tables as Map<string, object>).set('bronze.acme.orders', { metadata, metadataLocation: location });
    const asked = [{ datasetId: params.dataset_id, snapshotId: undefined, since: null }];
    return world.inputs.pin(acme, asked as never).then(
      () => 'read',
      (error) => error.code,
    );
  };
  const [admin, viewer] = [world.as('acme', 'admin'), world.as('acme', 'viewer')];

  // The whole metadata of the other table, and its folder with metadata of one's own: both are outside of the tenant.
  const named = { ...own.metadata, location: victim.metadata.location };
  for (const [metadata, location] of [
    [victim.metadata, victim.metadataLocation],
    [named],
    [victim.metadata],
  ] as const) {
    t.equal(await shown(metadata, location), 'dataset_not_readable');
    await refused(admin, { status: 403, problem: { code: 'dataset_not_readable', reason: 'table_outside_tenant' } });
    await refused(viewer, { status: 403, problem: { code: 'dataset_not_readable', reason: undefined } });
  }
  const listed = await admin.call(listDatasets, {});
  t.match(listed, { status: 200, body: { items: [{ dataset_id: 'bronze.acme.orders' }] } });

  // Its files, named by a table in the tenant's own folder.
  t.equal(
    await shown({
      ...own.metadata,
      snapshots: victim.metadata.snapshots,
      'current-snapshot-id': victim.metadata['current-snapshot-id']!,
    }),
    'file_outside_table',
  );
  t.match(await viewer.call(previewDataset, { params }), { status: 502, problem: { code: 'file_outside_table' } });

  // A folder that the operator has opened to the tenant is read as its own.
  const opened = {
    ...own.metadata,
    location: `${warehouse}/lake/acme/orders`,
    snapshots: [],
    refs: {},
    'metadata-log': [],
  };
  const { 'current-snapshot-id': _none, ...empty } = opened;
  t.equal(await shown(empty as never, `${warehouse}/lake/acme/orders/metadata/1.json`), 'read');
  t.equal(await shown(own.metadata), 'read');
});
