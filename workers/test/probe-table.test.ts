import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { temporalWorkflows } from '@weir/kernel/boot';
import t, { type Test } from 'tap';
import { until } from '../../test/until.ts';
import type { WorkerRecord } from '../src/process/process-state.ts';
import { probe } from './run-probe.ts';

const ROLE = 'slow';
const SLOTS = 8;
const NS_PER_SECOND = 1_000_000_000n;
/** Seconds ago: a beat that is new however long the probe takes to start. */
const NEW_BEAT = -600n;
const WORKFLOWS = join(import.meta.dirname, 'fixtures/slow-plugin/workflows');
const ADDRESS = process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '';
const SIDES = {
  activity: { activities: { nothing: async () => undefined } },
  workflow: { workflowsPath: WORKFLOWS },
} satisfies Record<string, Partial<WorkerOptions>>;

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** A worker of the real engine that polls its queue for one side alone, and says of itself what a worker of ours would. */
async function halfWorker(t: Test, side: keyof typeof SIDES) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-probe-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [host = '', port = ''] = ADDRESS.split(':');
  const queue = `probed-${side}-${process.pid}`;
  const connection = await NativeConnection.connect({ address: ADDRESS });
  const worker = await Worker.create({ ...SIDES[side], connection, taskQueue: queue, identity: queue });
  const running = worker.run();
  t.teardown(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
  const engine = temporalWorkflows({ address: ADDRESS, namespace: 'default' });
  t.teardown(() => engine.close());
  await until('a poller', async () => (await engine.describeQueue(queue))[side].pollers[0]);
  return async (inFlight: number) => {
    const beat_ns = String(process.hrtime.bigint() - NEW_BEAT * NS_PER_SECOND);
    const workers = [{ role: ROLE, queue, identity: queue, slots: SLOTS, in_flight: inFlight }];
    const record: WorkerRecord = { pid: process.pid, roles: [ROLE], queues: [queue], children: [], workers, beat_ns };
    writeFileSync(join(folder, `worker-${process.pid}.json`), JSON.stringify(record));
    const engineAt = { WORKFLOW_HOST: host, WORKFLOW_PORT: port, WORKFLOW_SLOW_TASK_QUEUE: queue };
    const { code, said } = await probe({ ...engineAt, WEIR_STATE_DIR: folder });
    return { code, ...Object.fromEntries((said.findings ?? []).map(({ check, outcome }) => [check, outcome])) };
  };
}

t.test('a worker that nobody sees polling for workflows is not well, however busy it is', async (t) => {
  const probed = await halfWorker(t, 'activity');
  const seen = { code: 1, event_loop: 'ok', workflow_poller: 'failed', activity_poller: 'ok' };
  t.strictSame(await probed(SLOTS), seen);
});

t.test('a worker whose slots are all busy polls for no activity, and is well; with a free one it is not', async (t) => {
  const probed = await halfWorker(t, 'workflow');
  const seen = { event_loop: 'ok', workflow_poller: 'ok' };
  t.strictSame(await probed(SLOTS), { code: 0, ...seen, activity_poller: 'diagnostic' });
  t.strictSame(await probed(SLOTS - 1), { code: 1, ...seen, activity_poller: 'failed' });
});
