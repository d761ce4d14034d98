import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { TenantTransaction } from '@weir/kernel';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { ownWorkspace } from '../../../connectors/runtime/test/container-kit.ts';
import { askEngine, type Engine, programImage, testEngine } from '../../../test/engines/index.ts';
import { createSource } from '../src/contract.ts';
import { DiscoveryEntity } from '../src/discovery/entity.ts';
import { SourceEntity } from '../src/source/entity.ts';
import { SyncRunEntity } from '../src/sync/entity.ts';
import { discovered, enableAll, ok, synced, testPlatform } from './platform.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FILES = join(ROOT, 'connectors/files');
const IMAGE = 'weir-test/contained:1';
const params = { dataset_id: 'bronze.demo.shop__people' };

/** The connector of files with a file in its image. */
function image(engine: Engine, csv: string): Promise<string> {
  const root = async (folder: string) => {
    await mkdir(join(folder, 'data'), { recursive: true });
    await writeFile(join(folder, 'data', 'people.csv'), csv);
  };
  return programImage(engine, { name: IMAGE, entry: join(FILES, 'src/main.ts'), root });
}

/** A deployment whose only pattern is that image, and no program beside it. */
function deployment(engine: Engine, workspace: string): Record<string, string> {
  const socket = dirname(engine.socketPath);
  return {
    WEIR_PLATFORM: join(import.meta.dirname, 'fixtures/platform-contained.json'),
    SOURCE_SOCKET_DIR: socket,
    WEIR_SOURCE_WORKSPACE_DIR: workspace,
    DISCOVERY_SOCKET_DIR: socket,
    WEIR_DISCOVERY_WORKSPACE_DIR: workspace,
    WEIR_ENGINE_WAIVERS: 'rootful',
  };
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.pass(`# SKIP ${engine}`);
else {
  t.test('a source is discovered and synced in containers of the image that discovery has run', async (t) => {
    const workspace = await ownWorkspace(t, engine);
    await image(engine, 'id,name\n1,Ann\n2,Bo\n');
    const platform = await testPlatform(t, async () => deployment(engine, workspace));
    await platform.startWorker();
    const api = await platform.as('demo');
    const body = { name: 'shop', pattern_id: 'contained', source_config: { path: '/data' } };
    const { source_id } = ok(await api(createSource, { body }));
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    const tenant = await platform.tenant('demo');
    const read = <R>(look: (tx: TenantTransaction) => Promise<R>) => platform.db(tenant).transaction(look);
    const [found] = await read((tx) => tx.find(DiscoveryEntity, {}));
    t.match(found?.image, { reference: IMAGE, digest: /^sha256:/, id: /^sha256:/, architecture: String });
    t.same((await read((tx) => tx.findOne(SourceEntity, { sourceId: source_id })))?.image, found?.image);
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    const run = await synced(api, source_id);
    t.match(run, { status: 'succeeded', verdict: 'clean', rows_written: 2 });
    t.same((await read((tx) => tx.findOne(SyncRunEntity, { runId: run.run_id })))?.image, found?.image);
    t.same(await containers(engine, source_id), [], 'no container is left');

    await image(engine, 'id,name\n1,Mallory\n');
    t.match(await synced(api, source_id), { status: 'failed', failure: { code: 'connector_image_mismatch' } });
    t.equal(
      ok(await api(previewDataset, { params })).rows.length,
      2,
      'another image under the same name wrote nothing',
    );
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 });
  });
}

async function containers(engine: Engine, source: string): Promise<unknown> {
  const filters = JSON.stringify({ label: [`weir.source=${source}`] });
  const path = `/containers/json?all=1&${new URLSearchParams({ filters })}`;
  return JSON.parse((await askEngine(engine.socketPath, { path })).text);
}
