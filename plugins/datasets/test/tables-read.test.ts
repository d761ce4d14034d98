import { rmSync, writeFileSync } from 'node:fs';
import { localPath } from '@weir/lakehouse';
import t from 'tap';
import { getDataset } from '../src/contract.ts';
import { lake } from './kit.ts';

t.test('a table is described by what holds of it: name, existence, readability, newest snapshot', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const other = await world.tenant('other');
  const { ref, snapshotId } = await world.land(acme, 'orders', [{ id: 1 }]);
  await world.land(other, 'secret', [{ id: 1 }]);
  const described = (table: string, namespace = ref.namespace) => world.tables.describe(acme, { namespace, table });
  const newest = { snapshotId, rowsSnapshotId: snapshotId };
  const there = { writable: true, exists: true, readable: true, ...newest, partitionBy: [] };
  t.same(await described('orders'), there);
  const unknown = { snapshotId: undefined, rowsSnapshotId: undefined, partitionBy: undefined };
  const none = { exists: false, readable: false, ...unknown };
  t.same(await described('nothing'), { writable: true, ...none });
  t.same(await described('secret', 'bronze.other'), { writable: false, ...none }, 'nothing is said of foreign tables');
  t.same(await described('x', 'raw.shared'), { writable: false, ...none }, 'shared namespaces are nobody to write');
  for (const table of ['a.b', '', "o'", 'é']) t.same(await described(table), { writable: false, ...none }, table);
  const silver = { namespace: 'silver.acme', table: 'orphan' };
  await world.tables.prepare(acme, silver, { type: 'object', properties: { id: { type: 'integer' } } });
  t.same(
    await world.tables.describe(acme, silver),
    { writable: true, exists: true, readable: false, ...unknown },
    'a table that nothing of the tenant produces is not readable',
  );
});

t.test('a table whose files are gone or damaged is there and not readable', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }]);
  t.match(await world.tables.describe(acme, ref), { readable: true }, 'and the scanner has it in its cache now');
  const detail = await world.as('acme').call(getDataset, { params: { dataset_id: 'bronze.acme.orders' } });
  rmSync(localPath(detail.ok ? detail.body.metadata_location : ''));
  t.match(await world.tables.describe(acme, ref), { exists: true, readable: false, snapshotId: undefined });
  const second = await world.land(acme, 'visits', [{ id: 1 }]);
  const shown = await world.as('acme').call(getDataset, { params: { dataset_id: 'bronze.acme.visits' } });
  await world.tables.prepare(acme, second.ref, { type: 'object', properties: { more: { type: 'string' } } });
  const now = await world.as('acme').call(getDataset, { params: { dataset_id: 'bronze.acme.visits' } });
  const location = now.ok ? now.body.metadata_location : '';
  t.not(shown.ok && shown.body.metadata_location, location);
  writeFileSync(localPath(location), 'not json');
  t.match(await world.tables.describe(acme, second.ref), { exists: true }, 'what is damaged throws nothing');
});

t.test('snapshots are listed newest first with their runs, at most as many as wanted', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const first = await world.land(acme, 'orders', [{ id: 1 }]);
  const second = await world.land(acme, 'orders', [{ id: 2 }, { id: 3 }]);
  const all = await world.tables.snapshots(acme, first.ref, { limit: 10 });
  t.match(all, [
    { snapshotId: second.snapshotId, addedRecords: '2', operation: 'append', runId: /^[0-9a-f-]{36}$/ },
    { snapshotId: first.snapshotId, addedRecords: '1', committedAt: /Z$/ },
  ]);
  t.equal(all.length, 2);
  t.not(all[0]?.runId, all[1]?.runId);
  t.match(await world.tables.snapshots(acme, first.ref, { limit: 0 }), [{ snapshotId: second.snapshotId }]);
  t.equal((await world.tables.snapshots(acme, first.ref, { limit: 1 })).length, 1);
  t.same(await world.tables.snapshots(acme, { ...first.ref, table: 'nothing' }, { limit: 5 }), []);
  await t.rejects(world.tables.snapshots(acme, { namespace: 'bronze.other', table: 'x' }, { limit: 5 }), {
    code: 'destination_not_allowed',
  });
});
