import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { getDataset, listDatasetSnapshots } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { isRunning } from '../../../test/crash/process-tree.ts';
import { until } from '../../../test/until.ts';
import { cancelSync, createSource, getSyncStatus, listSyncHistory, startSync, updateSource } from '../src/contract.ts';
import { type Api, discovered, enableAll, ended, ok, refusal, testPlatform, type Worker } from './platform.ts';

const ROWS = 3_000;
/** Milliseconds between two hundreds of rows: a sync lasts longer than the time between two commits. */
const SLOWLY = { pause_ms: 200 };
const AT_ONCE = { pause_ms: 0 };
/** So many more that nobody reads them to their end. */
const ENDLESS = 1_000_000;
const WEIR_PLATFORM = resolve(import.meta.dirname, '../../../test/crash/platform.json');
/** Commits come often, so that a crash finds some of the rows committed. */
const OFTEN = { WEIR_SYNC_COMMIT_SECONDS: '1' };
const dataset = { params: { dataset_id: 'bronze.demo.long__rows' } };

t.test('a sync survives the loss of its processes without losing or doubling a row', async (t) => {
  const platform = await testPlatform(t, async () => ({ WEIR_PLATFORM }));
  const api = await platform.as('demo');
  let worker = await platform.startWorker(OFTEN);
  const body = { name: 'long', pattern_id: 'counting', source_config: { generation: 1, rows: ROWS, ...SLOWLY } };
  const source = ok(await api(createSource, { body }));
  const configure = async (source_config: Record<string, unknown>) => {
    ok(await api(updateSource, { params: { source_id: source.source_id }, body: { source_config } }));
  };
  t.match(await discovered(api, source.source_id), { status: 'succeeded', failure: null });
  await enableAll(api, source.source_id, { sync_mode: 'incremental', write_mode: 'append' });

  await t.test('kill -9 of the worker in mid-sync, then a restart', async (t) => {
    const { run_id, workflow_id } = ok(await api(startSync, { params: { source_id: source.source_id } }));
    const children = await midSync(api, source.source_id, worker);
    t.match(await heartbeat(workflow_id), { rowsRead: Number, bytesRead: Number, lastCommit: { snapshotId: /^\d+$/ } });
    t.strictSame(children.map(({ name }) => name.replace(/-.*/, '')).sort(), ['connector', 'sync']);
    worker.process.kill('SIGKILL');
    await once(worker.process, 'exit');
    await gone(children);
    t.pass('the sync process and its connector have ended by themselves');
    await configure(AT_ONCE);
    worker = await platform.startWorker(OFTEN);
    const run = await ended(api, source.source_id, run_id);
    t.match(run, { status: 'succeeded', rows_written: ROWS, verdict: 'clean' });
    t.ok(run.attempt > 1, 'another attempt went on');
    await sameRows(t, api);
    t.strictSame(await readdir(join(platform.folder, 'work', 'attempts')), [], 'no scratch folder is left');
  });

  await t.test('a cancelled sync ends cancelled, with its processes', async (t) => {
    await configure({ rows: ENDLESS, ...SLOWLY });
    const waiting = await until('a process that waits for the next sync', async () => {
      const [only, ...more] = await worker.children();
      return more.length === 0 && only?.name === 'spare' && only;
    });
    const { run_id, workflow_id } = ok(await api(startSync, { params: { source_id: source.source_id } }));
    const children = await midSync(api, source.source_id, worker, 0);
    t.equal(children.find(({ name }) => name === 'sync')?.pid, waiting.pid, 'it is the process of that sync then');
    for (const id of [run_id, workflow_id]) {
      const cancelled = await api(cancelSync, { params: { sync_run_id: id } });
      t.equal(cancelled.status, 202, 'by either id, and again while it is open');
      t.match(ok(cancelled), { run_id, source_id: source.source_id, outcome: 'cancelling' });
    }
    const run = await ended(api, source.source_id, run_id);
    t.match(run, { status: 'cancelled', failure: null });
    await gone(children);
    t.equal(refusal(await api(cancelSync, { params: { sync_run_id: run_id } })), '409 run_not_active');
    const committed = Number(ok(await api(getDataset, dataset)).total_records);
    t.equal(committed, ROWS + run.rows_written, 'what was committed is what the run says');
    const again = ok(
      await api(listSyncHistory, { params: { source_id: source.source_id }, query: { status: 'cancelled' } }),
    );
    t.equal(again.items.length, 1);
  });

  await t.test('a stopping worker ends by itself', async (t) => {
    worker.process.kill('SIGTERM');
    const [code] = await once(worker.process, 'exit');
    t.equal(code, 0);
    t.strictSame(await readdir(platform.stateDir), [], 'its state file is gone');
  });
});

/** Waits until a sync has read, and committed at least so many rows; answers its processes. */
function midSync(api: Api, sourceId: string, worker: Worker, committed = 1) {
  const look = async () => {
    const { run } = ok(await api(getSyncStatus, { params: { source_id: sourceId } }));
    if (run?.is_terminal) throw new Error(`the sync has ended ${run.status} before its middle was seen`);
    const children = await worker.children();
    const there = children.length >= 2 && (run?.rows_read ?? 0) > 0 && (run?.rows_written ?? 0) >= committed;
    return there ? children : undefined;
  };
  return until('a sync in its middle', look, 'often');
}

/** Waits until none of the processes runs any more. */
function gone(children: readonly { pid: number }[]) {
  return until('the end of every process', () => !children.some(({ pid }) => isRunning(pid)));
}

async function sameRows(t: { equal(found: unknown, wanted: unknown): unknown }, api: Api): Promise<void> {
  t.equal(ok(await api(getDataset, dataset)).total_records, String(ROWS));
  const { items } = ok(await api(listDatasetSnapshots, { ...dataset, query: { limit: 500 } }));
  const added = items.reduce((sum, snapshot) => sum + Number(snapshot.added_records), 0);
  t.equal(added, ROWS);
}

/** What the engine was last told of a sync that has committed. */
function heartbeat(workflowId: string) {
  const { WEIR_TEST_TEMPORAL_BINARY: engine = '', WEIR_TEST_TEMPORAL_ADDRESS: address = '' } = process.env;
  const words = ['workflow', 'describe', '--address', address, '--workflow-id', workflowId, '--raw', '-o', 'json'];
  return until('a heartbeat that tells of a commit', async () => {
    const { stdout } = await promisify(execFile)(engine, words);
    const { pendingActivities = [] } = JSON.parse(stdout) as { pendingActivities?: { heartbeatDetails?: Told[] }[] };
    return pendingActivities
      .flatMap(({ heartbeatDetails = [] }) => heartbeatDetails)
      .find(({ lastCommit }) => lastCommit);
  });
}
type Told = { lastCommit: object | null };
