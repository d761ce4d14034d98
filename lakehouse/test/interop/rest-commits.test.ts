import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { localFileIO, openStore, type RemoteCatalog, restCatalog } from '../../src/index.ts';
import type { Store } from '../../src/store/store-options.ts';
import { startRestCatalog, testS3 } from '../../src/testing.ts';
import { catalogToken, makeTableBucket } from '../table-bucket.ts';
import { startIcebergRest } from './rest-server.ts';
import { TRIED } from './shapes.ts';
import { openWorkshop } from './workshop.ts';

/** The jars of Iceberg's own REST catalog, in the slower lane (`npm run interop -- --rest`). */
const JARS = process.env.WEIR_TEST_REST_JARS;
/** The Iceberg REST catalog of the tests' object store, each table bucket of which is a catalog. */
const STORE_CATALOG = process.env.WEIR_TEST_ICEBERG_REST_URI ?? '';
const noCatalog = STORE_CATALOG === '' && 'WEIR_TEST_ICEBERG_REST_URI is not set';

async function makeAll(t: Test, root: string, keeper: { catalog: RemoteCatalog; store?: Store; warehouse?: string }) {
  const { store, ...kept } = keeper;
  const shop = await openWorkshop(root, store ?? localFileIO({ root }), kept);
  t.teardown(async () => {
    await shop.close();
    await store?.close();
    await rm(root, { recursive: true, force: true });
  });
  for (const shape of TRIED) {
    const at = await shape.make(shop);
    t.equal((await shop.rows(at)).length, shape.rows, shape.name);
    t.equal(
      (await shop.rows(await shop.append(at, [shape.more]))).length,
      shape.rows + 1,
      `${shape.name}, and one more`,
    );
  }
}

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'weir-rest-commits-'));

t.test('a catalog that is told of the commits to tables of our shapes has those tables', async (t) => {
  const root = await folder();
  const server = await startRestCatalog({ io: localFileIO({ root }), warehouse: root });
  t.teardown(() => server.close());
  await makeAll(t, root, { catalog: restCatalog({ uri: server.uri, catalogName: 'weir' }) });
});

t.test('so has the catalog of the object store', { skip: noCatalog }, async (t) => {
  const [root, s3, bucket] = [await folder(), testS3(), `weir-tables-${randomUUID()}`];
  await makeTableBucket(s3, bucket);
  const token = await catalogToken(s3, STORE_CATALOG);
  // It lets tables lie nowhere but in `<namespace>/<table>` of its bucket.
  const warehouse = `s3://${bucket}/bronze.demo`;
  const store = openStore({ warehouse, scratch: join(root, 'cache'), s3 });
  const catalog = restCatalog({ uri: STORE_CATALOG, catalogName: bucket, token: () => token });
  await makeAll(t, root, { catalog, store, warehouse });
});

if (JARS !== undefined) {
  t.test('so has the REST catalog of Iceberg', async (t) => {
    const root = await folder();
    await mkdir(join(root, 'catalog'));
    const server = await startIcebergRest(join(root, 'catalog'), JARS);
    t.teardown(() => server.close());
    await makeAll(t, root, { catalog: restCatalog({ uri: server.uri, catalogName: 'weir' }) });
  });
}
