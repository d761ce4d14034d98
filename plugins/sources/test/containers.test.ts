import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TenantTransaction } from '@weir/kernel';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { labelsOf } from '../../../connectors/runtime/src/container/create-options.ts';
import { createEngineWorkspace } from '../../../connectors/runtime/src/container/engine-workspace.ts';
import { workspaceLabel } from '../../../connectors/runtime/src/container/reap-runs.ts';
import { ownWorkspace } from '../../../connectors/runtime/test/container-kit.ts';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import {
  askEngine,
  type Engine,
  engineJson,
  engineSettings,
  programImage,
  testEngine,
} from '../../../test/engines/index.ts';
import { until } from '../../../test/until.ts';
import { getSyncReceipt, startSync } from '../src/contract.ts';
import { DiscoveryEntity } from '../src/model/discovery/entity.ts';
import { signBody } from '../src/model/pattern/webhook-signature.ts';
import { SourceEntity } from '../src/model/source/entity.ts';
import { SyncRunEntity } from '../src/model/sync/entity.ts';
import { ownAttempt } from './own-attempt.ts';
import { type Api, discovered, ended, ok, synced, testPlatform } from './platform.ts';
import { readySource } from './ready-source.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FILES = join(ROOT, 'connectors/files');
const IMAGE = 'weir-test/contained:1';
const params = { dataset_id: 'bronze.demo.shop__people' };
const REGISTER_SECRET = 'register-secret-of-a-test';

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
    PATTERN_WEBHOOK_SECRET: REGISTER_SECRET,
    ...engineSettings(engine, workspace),
  };
}

/** Registers the next version of the pattern, whose image is another one. */
async function registerNext(url: string): Promise<void> {
  const file = join(import.meta.dirname, 'fixtures/contained/pattern.json');
  const next = { ...JSON.parse(await readFile(file, 'utf8')), version: '1.0.1', image: 'weir-test/contained:2' };
  const body = JSON.stringify({ pattern: next });
  const headers = { 'content-type': 'application/json', ...signBody(REGISTER_SECRET, body, new Date()) };
  const answer = await fetch(`${url}/api/v1/patterns/register`, { method: 'POST', body, headers });
  if (!answer.ok) throw new Error(`the pattern was not registered: ${await answer.text()}`);
}

/** The connector of a sync, as its receipt names it. */
async function connectorOf(api: Api, { run_id }: { run_id: string }) {
  return ok(await api(getSyncReceipt, { params: { sync_run_id: run_id } })).receipt.versions.connector;
}

/** How many rows the table has. */
async function rowsIn(api: Api): Promise<number> {
  return ok(await api(previewDataset, { params })).rows.length;
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test('a source is discovered and synced in containers of the image that discovery has run', async (t) => {
    const workspace = await ownWorkspace(t, engine);
    await image(engine, 'id,name\n1,Ann\n2,Bo\n');
    const platform = await testPlatform(t, async () => deployment(engine, workspace));
    const left = await leftOf(engine, workspace, (await platform.tenant('demo')).tenantId);
    const faults = await faultFolder(join(platform.folder, 'faults'));
    const worker = await platform.startWorker({ WEIR_FAULTPOINTS: faults.path });
    await until('the end of what a worker before has left', async () => (await left()) === 0 || undefined);
    t.pass('a worker removes what one before it has left, before it has anything to run');
    const api = await platform.as('demo');
    const body = { name: 'shop', pattern_id: 'contained', source_config: { path: '/data' } };
    const source_id = await readySource(api, body, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    const tenant = await platform.tenant('demo');
    const read = <R>(look: (tx: TenantTransaction) => Promise<R>) => platform.db(tenant).transaction(look);
    const [found] = await read((tx) => tx.find(DiscoveryEntity, {}));
    t.match(found?.image, { reference: IMAGE, digest: /^sha256:/, id: /^sha256:/, architecture: String });
    t.same((await read((tx) => tx.findOne(SourceEntity, { sourceId: source_id })))?.image, found?.image);
    const run = await synced(api, source_id);
    t.match(run, { status: 'succeeded', verdict: 'clean', rows_written: 2 });
    t.same((await read((tx) => tx.findOne(SyncRunEntity, { runId: run.run_id })))?.image, {
      ...found?.image,
      patternVersion: '1.0.0',
    });
    t.same(run.image, found?.image, 'who reads the sync is told of the image');
    t.match(await connectorOf(api, run), { image: IMAGE, image_digest: found?.image?.digest }, 'and its receipt');
    t.same(await containers(engine, source_id), [], 'no container is left');

    worker.process.kill('SIGTERM');
    await once(worker.process, 'exit');
    const waiting = ok(await api(startSync, { params: { source_id }, query: { queue: true } }));
    await faults.arm('S4');
    const held = async () => {
      const pid = await faults.held('S4');
      t.equal((await containers(engine, source_id)).length, 1, 'its container is made');
      return pid;
    };
    const attempt = { runId: waiting.run_id, sourceId: source_id, standstill: { faults, held } };
    t.match(await ownAttempt(platform, attempt), { end: { failure: { code: 'sync_process_hung' } } });
    t.same(await containers(engine, source_id), [], 'with a process that stands still its container is gone');
    await platform.startWorker({ WEIR_FAULTPOINTS: faults.path });
    t.match(await ended(api, source_id, waiting.run_id), { status: 'succeeded', attempt: 2, rows_written: 2 });

    await image(engine, 'id,name\n1,Mallory\n');
    const refused = await synced(api, source_id);
    const other = { code: 'connector_image_mismatch', origin: 'platform', hint: /Discover the source again/ };
    t.match(refused, { status: 'failed', failure: other, image: null });
    t.match(await connectorOf(api, refused), { image: IMAGE, image_digest: null }, 'no image ran');
    t.equal(await rowsIn(api), 2, 'another image under the same name wrote nothing');
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    const renewed = await synced(api, source_id);
    t.match(renewed, { status: 'succeeded', rows_written: 1, image: { reference: IMAGE, digest: /^sha256:/ } });
    t.not(renewed.image?.digest, run.image?.digest, 'another image, another digest');

    await faults.arm('S12');
    const { run_id } = ok(await api(startSync, { params: { source_id } }));
    await faults.held('S12');
    await registerNext(platform.url);
    await faults.release(['S12']);
    const last = await ended(api, source_id, run_id);
    t.match(last, { status: 'succeeded', image: { reference: IMAGE, digest: renewed.image?.digest } });
    const named = { version: '1.0.0', image: IMAGE, image_digest: renewed.image?.digest };
    t.match(await connectorOf(api, last), named, 'of a pattern that changed meanwhile the receipt names what has run');
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
