import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TenantTransaction } from '@weir/kernel';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { labelsOf } from '../../../connectors/runtime/src/container/create-options.ts';
import { createEngineWorkspace } from '../../../connectors/runtime/src/container/engine-workspace.ts';
import { workspaceLabel } from '../../../connectors/runtime/src/container/reap-runs.ts';
import { ownWorkspace } from '../../../connectors/runtime/test/container-kit.ts';
import {
  askEngine,
  type Engine,
  engineJson,
  engineSettings,
  programImage,
  testEngine,
} from '../../../test/engines/index.ts';
import { createSource, getSyncReceipt } from '../src/contract.ts';
import { DiscoveryEntity } from '../src/discovery/entity.ts';
import { SourceEntity } from '../src/source/entity.ts';
import { SyncRunEntity } from '../src/sync/entity.ts';
import { discovered, enableAll, ok, synced, testPlatform, until } from './platform.ts';

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
  return {
    WEIR_PLATFORM: join(import.meta.dirname, 'fixtures/platform-contained.json'),
    ...engineSettings(engine, { source: workspace, discovery: workspace }),
  };
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test('a source is discovered and synced in containers of the image that discovery has run', async (t) => {
    const workspace = await ownWorkspace(t, engine);
    await image(engine, 'id,name\n1,Ann\n2,Bo\n');
    const platform = await testPlatform(t, async () => deployment(engine, workspace));
    const left = await leftOf(engine, workspace, (await platform.tenant('demo')).tenantId);
    await platform.startWorker();
    await until('the end of what a worker before has left', async () => (await left()) === 0 || undefined);
    t.pass('a worker removes what one before it has left, before it has anything to run');
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
    t.same(run.image, found?.image, 'who reads the sync is told of the image');
    const connectorOf = async ({ run_id }: { run_id: string }) =>
      ok(await api(getSyncReceipt, { params: { sync_run_id: run_id } })).receipt.versions.connector;
    t.match(await connectorOf(run), { image: IMAGE, image_digest: found?.image?.digest }, 'and its receipt');
    t.same(await containers(engine, source_id), [], 'no container is left');

    await image(engine, 'id,name\n1,Mallory\n');
    const refused = await synced(api, source_id);
    t.match(refused, { status: 'failed', failure: { code: 'connector_image_mismatch' }, image: null });
    t.match(await connectorOf(refused), { image: IMAGE, image_digest: null }, 'no image ran');
    t.equal(
      ok(await api(previewDataset, { params })).rows.length,
      2,
      'another image under the same name wrote nothing',
    );
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    const renewed = await synced(api, source_id);
    t.match(renewed, { status: 'succeeded', rows_written: 1, image: { reference: IMAGE, digest: /^sha256:/ } });
    t.not(renewed.image?.digest, run.image?.digest, 'another image, another digest');
  });
}

/** What a worker leaves that is killed in mid-sync, and how much of it there still is. */
async function leftOf(engine: Engine, workspace: string, tenant: string): Promise<() => Promise<number>> {
  const run = { tenant, source: randomUUID(), execution: randomUUID(), attempt: '1' };
  const labels = labelsOf(
    { labels: run, role: 'source' },
    { worker: 'gone', workspace: workspaceLabel(workspace), deadline: Date.now() + 3_600_000 },
  );
  await engineJson(engine.socketPath, {
    method: 'POST',
    path: '/containers/create',
    body: { Image: IMAGE, Labels: labels },
  });
  await createEngineWorkspace(workspace, { labels: run, inputs: { config: '{}' }, segments: false });
  return async () => (await containers(engine, run.source)).length + (await readdir(workspace)).length;
}

async function containers(engine: Engine, source: string): Promise<unknown[]> {
  const filters = JSON.stringify({ label: [`weir.source=${source}`] });
  const path = `/containers/json?all=1&${new URLSearchParams({ filters })}`;
  return JSON.parse((await askEngine(engine.socketPath, { path })).text);
}
