import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localFileIO, prepareOverwrite, restCatalog } from '@weir/lakehouse';
import { startRestCatalog } from '@weir/lakehouse/testing';
import t from 'tap';
import { previewDataset } from '../src/contract.ts';
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
