import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { RemoteCatalog, TableChange, TableIdent } from '../src/catalog.ts';
import { restCatalog } from '../src/catalog-rest.ts';
import { localFileIO } from '../src/fileio-local.ts';
import { type Fault, startFlakyProxy, startRestCatalog } from '../src/testing.ts';
import { assignFieldIds } from '../src/types.ts';

const root = await mkdtemp(join(tmpdir(), 'weir-rest-'));
t.teardown(() => rm(root, { recursive: true, force: true }));

const TOKEN = 'a-token-for-tests';
const fields = assignFieldIds([
  { name: 'id', type: 'long' },
  { name: 'tags', type: { list: 'string' } },
]);
const NEW_TABLE = { schema: { type: 'struct', 'schema-id': 0, fields } };
const orders: TableIdent = { namespace: 'bronze.demo', name: 'orders' };

async function open(t: Test, more: { manyTables?: boolean; prefix?: string; pageSize?: number } = {}) {
  const server = await startRestCatalog({ io: localFileIO({ root }), warehouse: root, token: TOKEN, ...more });
  const proxy = await startFlakyProxy(server.uri);
  t.teardown(() => Promise.all([proxy.close(), server.close()]));
  const catalog = restCatalog({ uri: proxy.url, catalogName: 'weir', token: () => TOKEN });
  await catalog.ensureNamespace('bronze.demo');
  return { server, proxy, catalog };
}

/** Sets a property, if the table is still the one that was loaded. */
function setting(uuid: string, key: string): TableChange {
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid },
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
    ],
    updates: [{ action: 'set-properties', updates: { [key]: 'yes' } }],
  };
}

const uuidOf = async (catalog: RemoteCatalog, ident: TableIdent): Promise<string> =>
  (await catalog.loadTable(ident))?.metadata['table-uuid'] ?? '';

t.test('a table is made, loaded, listed, changed and forgotten', async (t) => {
  const { catalog, server } = await open(t, { prefix: 'w1' });
  t.equal(await catalog.loadTable(orders), undefined);
  const made = await catalog.createTable(orders, NEW_TABLE);
  await t.rejects(catalog.createTable(orders, NEW_TABLE), { code: 'table_exists' });
  t.strictSame(await catalog.loadTable(orders), made);
  t.strictSame(made.metadata.schemas[0]?.fields, fields);
  t.equal(await catalog.commitTable(orders, setting(made.metadata['table-uuid'], 'a')), 'committed');
  t.equal((await catalog.loadTable(orders))?.metadata.properties.a, 'yes');
  t.equal(await catalog.commitTable(orders, setting('00000000-0000-4000-8000-000000000000', 'b')), 'conflict');
  t.notOk(server.tables.get('bronze.demo.orders')?.metadata.properties.b);
  t.strictSame(await catalog.listTables(['bronze.demo', 'bronze.nobody']), [orders]);
  t.ok(await catalog.dropTable(orders));
  t.notOk(await catalog.dropTable(orders));
  await t.rejects(catalog.commitTable(orders, setting('x', 'c')), { code: 'table_missing' });
});

t.test('snapshot ids keep every digit in both directions', async (t) => {
  const { catalog, server } = await open(t);
  const { metadata } = await catalog.createTable(orders, NEW_TABLE);
  const manifestList = `${metadata.location}/metadata/snap.avro`;
  await localFileIO({ root }).write(manifestList, Buffer.from('x'));
  const snapshot = {
    ...{ 'snapshot-id': 9_007_199_254_740_993n, 'sequence-number': 1n, 'timestamp-ms': Date.now() },
    ...{ 'manifest-list': manifestList, summary: { operation: 'append' }, 'schema-id': 0 },
  };
  const change = {
    requirements: setting(metadata['table-uuid'], 'a').requirements,
    updates: [
      { action: 'add-snapshot', snapshot },
      { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshot['snapshot-id'] },
    ],
  };
  t.equal(await catalog.commitTable(orders, change), 'committed');
  t.equal(await catalog.commitTable(orders, change), 'conflict', 'the reference has moved');
  const held = server.tables.get('bronze.demo.orders')?.metadata;
  t.equal(held?.['current-snapshot-id'], 9_007_199_254_740_993n);
  t.equal((await catalog.loadTable(orders))?.metadata['current-snapshot-id'], 9_007_199_254_740_993n);
});

t.test('a lost answer to a commit is unknown, whether or not the change was made, and is sent once', async (t) => {
  const { catalog, proxy } = await open(t);
  const uuid = (await catalog.createTable(orders, NEW_TABLE)).metadata['table-uuid'];
  const made: Record<string, boolean> = {
    cut_after: true,
    refuse_after: true,
    truncate: true,
    cut: false,
    refuse: false,
  };
  for (const [fault, stands] of Object.entries(made)) {
    proxy.choose(({ method }) => (method === 'POST' ? (fault as Fault) : undefined));
    const before = proxy.seen.length;
    t.equal(await catalog.commitTable(orders, setting(uuid, fault)), 'unknown');
    t.equal(proxy.seen.length - before, 1);
    t.equal((await catalog.loadTable(orders))?.metadata.properties[fault] === 'yes', stands, fault);
  }
});

t.test('a change that comes late is made late, and only if it still fits', async (t) => {
  const { catalog, proxy } = await open(t);
  const uuid = (await catalog.createTable(orders, NEW_TABLE)).metadata['table-uuid'];
  proxy.choose(({ method }) => (method === 'POST' ? 'late' : undefined));
  t.equal(await catalog.commitTable(orders, setting(uuid, 'late')), 'unknown');
  t.equal((await catalog.loadTable(orders))?.metadata.properties.late, undefined);
  await proxy.deliver();
  t.equal((await catalog.loadTable(orders))?.metadata.properties.late, 'yes');
});

t.test('what reads is tried again; a catalog that stays silent is store_unavailable', async (t) => {
  const { catalog, proxy } = await open(t);
  await catalog.createTable(orders, NEW_TABLE);
  let left = 3;
  proxy.choose(() => (left-- > 0 ? 'cut' : undefined));
  t.ok(await catalog.loadTable(orders));
  proxy.choose(() => 'refuse');
  await t.rejects(catalog.loadTable(orders), { code: 'store_unavailable' });
  await t.rejects(catalog.createTable(orders, NEW_TABLE), { code: 'store_unavailable' });
  const fresh = restCatalog({ uri: proxy.url, catalogName: 'weir', token: () => TOKEN });
  t.equal(await fresh.commitTable(orders, setting('x', 'y')), 'unknown');
  proxy.choose(() => undefined);
  t.ok(await fresh.loadTable(orders), 'a failed start is made up for');
});

t.test('several tables move together or not at all, where the server offers it', async (t) => {
  const { catalog, server } = await open(t, { manyTables: true });
  t.ok(await catalog.commitsManyTables());
  const lines: TableIdent = { namespace: 'bronze.demo', name: 'lines' };
  for (const ident of [orders, lines]) await catalog.createTable(ident, NEW_TABLE);
  const [first, second] = [await uuidOf(catalog, orders), await uuidOf(catalog, lines)];
  const change = (right: string, key: string) => [
    { ident: orders, ...setting(first, key) },
    { ident: lines, ...setting(right, key) },
  ];
  t.equal(await catalog.commitTables(change(first, 'a')), 'conflict');
  t.notOk(server.tables.get('bronze.demo.orders')?.metadata.properties.a);
  t.equal(await catalog.commitTables(change(second, 'b')), 'committed');
  for (const ident of [orders, lines]) t.equal((await catalog.loadTable(ident))?.metadata.properties.b, 'yes');
  t.notOk(await (await open(t)).catalog.commitsManyTables());
});

t.test('listings are followed page by page', async (t) => {
  const { catalog } = await open(t, { pageSize: 2 });
  const names = ['a', 'b', 'c d%', 'ü', 'z'].map((name) => ({ namespace: 'bronze.demo', name }));
  for (const ident of names) await catalog.createTable(ident, NEW_TABLE);
  t.strictSame((await catalog.listTables(['bronze.demo'])).length, names.length);
  for (const ident of names) t.ok(await catalog.loadTable(ident), ident.name);
});

t.test('a missing or wrong token is store_denied at once', async (t) => {
  const { proxy } = await open(t);
  const before = proxy.seen.length;
  for (const token of [() => undefined, () => 'wrong']) {
    const catalog = restCatalog({ uri: proxy.url, catalogName: 'weir', token });
    await t.rejects(catalog.loadTable(orders), { code: 'store_denied' });
    await t.rejects(catalog.commitTable(orders, setting('x', 'y')), { code: 'store_denied' });
  }
  t.equal(proxy.seen.length - before, 4);
});
