import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { restCatalog } from '../src/catalog/catalog-rest.ts';
import { localFileIO } from '../src/store/fileio-local.ts';
import { openStore } from '../src/store/store.ts';
import { startFlakyProxy, startRestCatalog, testS3 } from '../src/testing.ts';
import { startIcebergRest } from './interop/rest-server.ts';
import { ABILITIES, catalogConformance, NEW_TABLE, setting, someTable } from './rest-conformance.ts';
import { catalogToken, makeTableBucket } from './table-bucket.ts';

const root = await mkdtemp(join(tmpdir(), 'weir-rest-'));
t.teardown(() => rm(root, { recursive: true, force: true }));

const TOKEN = 'a-token-for-tests';
/** The jars of Iceberg's own REST catalog, in the slower lane (`npm run interop -- --rest`). */
const JARS = process.env.WEIR_TEST_REST_JARS;

/** The Iceberg REST catalog of the tests' object store, each table bucket of which is a catalog. */
const STORE_CATALOG = process.env.WEIR_TEST_ICEBERG_REST_URI ?? '';
const noCatalog = STORE_CATALOG === '' && 'WEIR_TEST_ICEBERG_REST_URI is not set';

async function open(t: Test, more: { manyTables?: boolean; prefix?: string; pageSize?: number } = {}) {
  const io = localFileIO({ root });
  const server = await startRestCatalog({ io, warehouse: root, token: TOKEN, ...more });
  const proxy = await startFlakyProxy(server.uri);
  t.teardown(() => Promise.all([proxy.close(), server.close()]));
  const catalog = restCatalog({ uri: proxy.url, catalogName: 'weir', token: () => TOKEN });
  return { server, proxy, catalog, io, warehouse: root };
}

t.test('a catalog with a prefix and short pages keeps the protocol', async (t) =>
  catalogConformance(t, await open(t, { manyTables: true, prefix: 'w1', pageSize: 2 }), ABILITIES),
);

t.test('so does the catalog of the object store', { skip: noCatalog }, async (t) => {
  const s3 = testS3();
  const bucket = `weir-tables-${randomUUID()}`;
  await makeTableBucket(s3, bucket);
  const token = await catalogToken(s3, STORE_CATALOG);
  const proxy = await startFlakyProxy(STORE_CATALOG);
  const warehouse = `s3://${bucket}`;
  const io = openStore({ warehouse, scratch: join(root, 'scratch'), s3 });
  t.teardown(() => Promise.all([proxy.close(), io.close()]));
  const catalog = restCatalog({ uri: proxy.url, catalogName: bucket, token: () => token });
  await catalogConformance(t, { catalog, proxy, io, warehouse });
});

if (JARS !== undefined) {
  t.test('so does the REST catalog of Iceberg', async (t) => {
    const server = await startIcebergRest(root, JARS);
    const proxy = await startFlakyProxy(server.uri);
    t.teardown(() => Promise.all([proxy.close(), server.close()]));
    const catalog = restCatalog({ uri: proxy.url, catalogName: 'weir' });
    const subject = { catalog, proxy, io: localFileIO({ root }), warehouse: `file://${root}` };
    await catalogConformance(t, subject, ABILITIES);
  });
}

t.test('a catalog that does not offer it moves no tables together', async (t) => {
  t.notOk(await (await open(t)).catalog.commitsManyTables());
});

t.test('a catalog that was silent at first is asked for its configuration again', async (t) => {
  const { catalog, proxy } = await open(t);
  proxy.choose(() => 'refuse');
  t.equal(await catalog.commitTable(someTable(), setting('x', 'y')), 'unknown');
  proxy.choose(() => undefined);
  t.equal(await catalog.loadTable(someTable()), undefined);
});

t.test('a missing or wrong token is store_denied at once', async (t) => {
  const { proxy } = await open(t);
  const before = proxy.seen.length;
  for (const token of [() => undefined, () => 'wrong']) {
    const catalog = restCatalog({ uri: proxy.url, catalogName: 'weir', token });
    await t.rejects(catalog.loadTable(someTable()), { code: 'store_denied' });
    await t.rejects(catalog.createTable(someTable(), NEW_TABLE), { code: 'store_denied' });
  }
  t.equal(proxy.seen.length - before, 4);
});
