import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { imageMaker, ownWorkspace, runs } from '../../../connectors/runtime/test/container-kit.ts';
import { faultFolder } from '../../../test/crash/fault-folder.ts';
import { askEngine, type Engine, engineJson, engineSettings, testEngine } from '../../../test/engines/index.ts';
import { until } from '../../../test/until.ts';
import {
  cancelSync,
  createSource,
  getDiscoveryStatus,
  getSyncRun,
  type PullView,
  readRunLogs,
  startDiscovery,
  startSync,
} from '../src/contract.ts';
import { containedPlatform } from './contained-platform.ts';
import { enableAll, ended, ok } from './platform.ts';
import { slowRegistry } from './slow-registry.ts';

const REPOSITORY = 'weir-test/pulled';
const MIB = 1024 * 1024;

/** A connector of one row. */
const CONNECTOR = `
const say = (message) => console.log(JSON.stringify(message));
const status = (word) => say({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1,
  stream_status: { stream_descriptor: { name: 'rows' }, status: word } } });
const stream = { name: 'rows', json_schema: { type: 'object', properties: { id: { type: 'integer' } } },
  supported_sync_modes: ['full_refresh'] };
if (process.argv[1] === 'spec') say({ type: 'SPEC', spec: { connectionSpecification: { type: 'object' } } });
else if (process.argv[1] === 'check') say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } });
else if (process.argv[1] === 'discover') say({ type: 'CATALOG', catalog: { streams: [stream] } });
else {
  status('STARTED');
  say({ type: 'RECORD', record: { stream: 'rows', data: { id: 1 }, emitted_at: 1 } });
  status('COMPLETE');
}`.replaceAll('\n', ' ');

/** Makes an image with a layer of its own of some MiB, and leaves it in the registry alone. */
async function publish(engine: Engine): Promise<void> {
  const ballast =
    randomBytes(3 * MIB)
      .toString('base64')
      .match(/.{1,1000}/g) ?? [];
  const make = await imageMaker(engine);
  const lines = ['COPY Dockerfile /ballast', runs(CONNECTOR), ...ballast.map((line) => `# ${line}`)];
  const name = await make(`${REPOSITORY}:1`, lines);
  await engine.pushImage(name, REPOSITORY);
  await forget(engine, name);
}

const forget = (engine: Engine, name: string) =>
  askEngine(engine.socketPath, { method: 'DELETE', path: `/images/${name}?force=1` });

interface Standing {
  is_terminal: boolean;
  phase: string;
  pull: PullView | null;
}

/** What a run tells of itself from a pull on that is held till it is told of with its bytes, to its end. */
async function toldFrom(look: () => Promise<Standing>, letGo: () => void): Promise<Standing[]> {
  const held = await until('a pull that is told of', async () => {
    const seen = await look();
    if (seen.is_terminal) throw new Error('the run has ended before its pull was told of');
    return (seen.pull?.bytes ?? 0) > 0 ? seen : undefined;
  });
  const told = [held];
  letGo();
  await until('the end', async () => {
    told.push(await look());
    return told.at(-1)?.is_terminal || undefined;
  });
  return told;
}

/** Holds what was told against the rules: a pull has its bytes while it is the phase, and the run ends. */
function checkTold(t: Test, told: readonly Standing[]): void {
  const [held] = told;
  t.match(held, { phase: 'pulling', pull: { bytes: Number, total_bytes: Number } });
  t.ok((held?.pull?.total_bytes ?? 0) > (held?.pull?.bytes ?? 0), 'not all of it was here');
  const later = told.filter(({ phase }) => phase !== 'pulling');
  t.ok(
    later.every(({ pull }) => pull === null),
    'a pull is told of while it goes on',
  );
  t.equal(told.at(-1)?.phase, 'ended');
}

const engine = await testEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test('while the image is pulled, a discovery and a sync say so, and how far it is', async (t) => {
    const registry = await slowRegistry(t, engine);
    const image = `${registry.address}/${REPOSITORY}:latest`;
    t.teardown(() => forget(engine, image));
    await publish(engine);
    const workspace = await ownWorkspace(t, engine);
    const platform = await containedPlatform(t, [{ fast_path: [], image }], engineSettings(engine, workspace));
    const faults = await faultFolder(join(platform.folder, 'faults'));
    await platform.startWorker({ WEIR_FAULTPOINTS: faults.path });
    const api = await platform.as('demo');
    const body = { name: 'shop', pattern_id: 'contained', source_config: { path: '/data' } };
    const { source_id } = ok(await api(createSource, { body }));
    const params = { source_id };

    const { workflow_id } = ok(await api(startDiscovery, { body: params }));
    const discovery = async () => ok(await api(getDiscoveryStatus, { params: { workflow_id } }));
    checkTold(t, await toldFrom(discovery, registry.open));
    t.match(await discovery(), { status: 'succeeded', streams: [{ name: 'rows' }] });

    registry.shut();
    await forget(engine, image);
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    const { run_id } = ok(await api(startSync, { params }));
    const sync = async () => ok(await api(getSyncRun, { params: { workflow_id: run_id } }));
    checkTold(t, await toldFrom(sync, registry.open));
    t.match(await sync(), { status: 'succeeded', rows_written: 1 });

    await t.test(
      'and a sync that is cancelled while its container is made ends cancelled, with no container',
      async (t) => {
        for (const point of ['S3', 'S4'] as const) {
          await faults.clear();
          await faults.arm(point);
          const { run_id } = ok(await api(startSync, { params }));
          await faults.held(point);
          t.match(ok(await api(cancelSync, { params: { sync_run_id: run_id } })), { outcome: 'cancelling' });
          const log = async () => ok(await api(readRunLogs, { params: { source_id, run_id } }));
          await until('a connector that is to stop', async () =>
            (await log()).items.some(({ message }) => /asked to stop/.test(message)) ? true : undefined,
          );
          await faults.release([point]);
          t.match(await ended(api, source_id, run_id), { status: 'cancelled', failure: null, rows_written: 0 }, point);
          const filters = JSON.stringify({ label: [`weir.source=${source_id}`] });
          const path = `/containers/json?all=1&${new URLSearchParams({ filters })}`;
          t.strictSame(await engineJson(engine.socketPath, { path }), [], point);
        }
      },
    );
  });
}
