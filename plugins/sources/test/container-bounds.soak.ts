import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { imageMaker, ownWorkspace, runs } from '../../../connectors/runtime/test/container-kit.ts';
import { engineJson, engineSettings, ownEngine } from '../../../test/engines/index.ts';
import { updateSource } from '../src/contract.ts';
import { containedPlatform } from './contained-platform.ts';
import { firstFailure } from './first-failure.ts';
import { discovered, ok, synced } from './platform.ts';
import { readySource } from './ready-source.ts';

const run = promisify(execFile);
const IMAGE = 'weir-test/fills-disks:1';
/** The disk of the workspace, which a connector can fill. */
const WORKSPACE_MIB = 24;
const TMP_MIB = 16;
/** Far more than a connector may have lying there, without a byte of disk. */
const QUOTA_BREAKER = 2 ** 32;

/** What a connector may have of processes: its own threads, and some more. */
const PIDS = 40;

/** Takes all of what its configuration names while it describes or reads, and says of that only what the system says. */
const PROGRAM = `
  const fs = require('node:fs');
  const [verb, ...flags] = process.argv.slice(1);
  const how = verb === 'spec' ? '' : JSON.parse(fs.readFileSync(flags[flags.indexOf('--config') + 1], 'utf8')).path;
  const say = (message) => fs.writeSync(1, JSON.stringify(message) + '\\n');
  const fill = (folder) => {
    const file = fs.openSync(folder + '/1.parquet', 'w');
    for (;;) fs.writeSync(file, Buffer.alloc(1048576, 1));
  };
  const fork = () => {
    for (;;) {
      const child = require('node:child_process').spawn(process.execPath, ['--version']);
      if (child.pid === undefined) return;
    }
  };
  const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  const descriptor = { name: 'rows' };
  const status = (status) => say({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status: { stream_descriptor: descriptor, status } } });
  if (verb === 'spec') say({ type: 'SPEC', spec: { connectionSpecification: { type: 'object' } } });
  else if (verb === 'check') say({ type: 'CONNECTION_STATUS', connectionStatus: { status: 'SUCCEEDED' } });
  else if (verb === 'discover') {
    if (how === 'tmp while it describes') fill('/tmp');
    const json_schema = { type: 'object', properties: { id: { type: 'integer' } } };
    say({ type: 'CATALOG', catalog: { streams: [{ ...descriptor, json_schema, supported_sync_modes: ['full_refresh'] }] } });
  } else {
    if (how === 'waits before its first word') wait();
    status('STARTED');
    say({ type: 'RECORD', record: { stream: 'rows', data: { id: 1 }, emitted_at: 1 } });
    if (how === 'tmp') fill('/tmp');
    if (how.startsWith('forks')) fork();
    if (how === 'forks, and says nothing of it') process.exit(1);
    if (how === 'forks, and waits' || how === 'waits in the middle') wait();
    if (how === 'segments') fill(process.env.WEIR_SEGMENT_DIR);
    if (how === 'more segments than it may have') {
      fs.ftruncateSync(fs.openSync(process.env.WEIR_SEGMENT_DIR + '/1.parquet', 'w'), ${QUOTA_BREAKER});
      setInterval(() => undefined, 1000);
    } else if (how !== 'forks') status('COMPLETE');
  }
`.replaceAll(/\s+/g, ' ');

/** What it fills, and what a run of it says. */
const TABLE: readonly (readonly [how: string, code: string, origin: string, hint: RegExp])[] = [
  ['tmp', 'connector_disk_full', 'platform', /tmp_mib/],
  ['segments', 'connector_disk_full', 'platform', /workspace/],
  ['more segments than it may have', 'segment_backlog', 'source', /segments/],
  ['forks', 'connector_processes_exhausted', 'platform', /pids/],
  ['forks, and says nothing of it', 'connector_failed', 'source', /log of the run/],
];

/** Seconds: four that start at once on a busy machine must come to where they hang or end. Nothing is computed meanwhile. */
const SILENT = '60';
/** How it hangs, each at the same time as the others. */
const HANGING: typeof TABLE = [
  ['waits before its first word', 'connector_never_spoke', 'source', /log of the run/],
  ['waits in the middle', 'connector_silent', 'source', /WEIR_SYNC_MAX_SILENT_SECONDS/],
  ['forks, and waits', 'connector_processes_exhausted', 'platform', /pids/],
];

// One of its own, whose workspace it may fill.
const engine = await ownEngine(t, 'rootful');
if (typeof engine === 'string') t.plan(0, engine);
else {
  t.test(
    'a connector in a container that takes all of a disk, or all processes, is told of by code, origin and hint, and nothing of it is left',
    async (t) => {
      const workspace = await ownWorkspace(t, engine);
      await run('mount', ['-o', `remount,size=${WORKSPACE_MIB}m`, engine.workspaceRoot]);
      await (await imageMaker(engine))(IMAGE, [runs(PROGRAM)]);
      const changes = [{ image: IMAGE, resources: { tmp_mib: TMP_MIB, pids: PIDS } }];
      const platform = await containedPlatform(t, changes, engineSettings(engine, workspace));
      const worker = await platform.startWorker();
      const api = await platform.as('demo');
      const source = (name: string, path = 'nothing') =>
        readySource(
          api,
          { name, pattern_id: 'contained', source_config: { path } },
          { sync_mode: 'full_refresh', write_mode: 'overwrite' },
        );
      const source_id = await source('shop');
      const params = { source_id };
      const fills = async (path: string) => ok(await api(updateSource, { params, body: { source_config: { path } } }));
      const left = async () => {
        const query = new URLSearchParams({ filters: JSON.stringify({ label: ['weir.source'] }) });
        const containers = await engineJson(engine.socketPath, { path: `/containers/json?all=1&${query}` });
        return { containers, folders: await readdir(workspace) };
      };
      for (const [how, code, origin, hint] of TABLE) {
        await fills(how);
        const { streams } = await firstFailure(t, api, source_id);
        t.match(streams[0]?.failure, { code, origin, detail: /\.$/, hint }, how);
        t.strictSame(await left(), { containers: [], folders: [] }, `${how}: no container and no folder is left`);
      }
      await fills('tmp while it describes');
      t.match(await discovered(api, source_id), {
        status: 'failed',
        failure: { code: 'connector_disk_full', origin: 'platform', hint: /tmp_mib/ },
      });
      t.equal(worker.process.exitCode, null, 'the worker that saw all of them goes on');

      await t.test('and one that hangs is told of by how it hangs, and is in the way of no other', async (t) => {
        worker.process.kill('SIGTERM');
        await once(worker.process, 'exit');
        await platform.startWorker({ WEIR_SYNC_MAX_SILENT_SECONDS: SILENT });
        const hangs = HANGING.map(async ([how, code, origin, hint], at) => {
          const { streams } = await firstFailure(t, api, await source(`hangs-${at}`, how));
          t.match(streams[0]?.failure, { code, origin, detail: /\.$/, hint }, how);
        });
        const beside = source('beside').then((besideId) => synced(api, besideId));
        const [run] = await Promise.all([beside, ...hangs]);
        t.match(run, { status: 'succeeded', rows_written: 1 }, 'one beside them');
        t.strictSame(await left(), { containers: [], folders: [] }, 'no container and no folder is left');
      });

      await fills('nothing');
      t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 }, 'there is room again');
      t.strictSame(await left(), { containers: [], folders: [] });
    },
  );
}
