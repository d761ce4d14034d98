import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { localFileIO, restCatalog } from '../../src/index.ts';
import { startRestCatalog } from '../../src/testing.ts';
import { startIcebergRest } from './rest-server.ts';
import { SHAPES } from './shapes.ts';
import { openWorkshop } from './workshop.ts';

const HANG_LIMIT_MS = 600_000;
/** The jars of Iceberg's own REST catalog, in the slower lane (`npm run interop -- --rest`). */
const JARS = process.env.WEIR_TEST_REST_JARS;

t.setTimeout(HANG_LIMIT_MS);

async function everyShape(t: Test, start: (root: string) => Promise<{ uri: string; close(): Promise<void> }>) {
  const root = await mkdtemp(join(tmpdir(), 'weir-rest-commits-'));
  const server = await start(root);
  const catalog = restCatalog({ uri: server.uri, catalogName: 'weir' });
  const shop = await openWorkshop(root, localFileIO({ root }), catalog);
  t.teardown(async () => {
    await shop.close();
    await server.close();
    await rm(root, { recursive: true, force: true });
  });
  for (const shape of SHAPES) {
    const at = await shape.make(shop);
    t.equal((await shop.rows(at)).length, shape.rows, shape.name);
    t.equal(
      (await shop.rows(await shop.append(at, [shape.more]))).length,
      shape.rows + 1,
      `${shape.name}, and one more`,
    );
  }
}

t.test('a catalog that is told of the commits to tables of every shape has those tables', (t) =>
  everyShape(t, (root) => startRestCatalog({ io: localFileIO({ root }), warehouse: root })),
);

if (JARS !== undefined) {
  t.test('so has the REST catalog of Iceberg', (t) =>
    everyShape(t, async (root) => {
      const folder = join(root, 'catalog');
      await mkdir(folder);
      return startIcebergRest(folder, JARS);
    }),
  );
}
