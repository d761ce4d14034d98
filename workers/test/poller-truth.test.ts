import type { RunRecord } from '@weir/kernel';
import { pino } from 'pino';
import t from 'tap';
import { admitRun, workerOf } from '../../kernel/src/runs/run-worker.ts';
import { runSweep } from '../../kernel/src/runs/sweeper.ts';
import type { TaskQueueSide, Workflows } from '../../kernel/src/workflows/workflows.ts';
import { until } from '../../test/until.ts';
import { type SlowDeployment, slowDeployment } from './slow-deployment.ts';

const MINUTE = 60_000;
const problem = (code: string, more: object = {}) => ({ entry: { code }, ...more }) as unknown as Error;

/** What the engine will say when so much time has gone by and nothing else has happened. */
function later(workflows: Workflows, ms: number): Pick<Workflows, 'describe' | 'describeQueue'> {
  const aged = (time: Date) => new Date(time.getTime() - ms);
  const side = ({ pollers, backlog }: TaskQueueSide) => ({
    pollers: pollers.map(({ identity, lastSeenAt }) => ({ identity, lastSeenAt: aged(lastSeenAt) })),
    backlog,
  });
  return {
    async describe(workflowId) {
      const found = await workflows.describe(workflowId);
      const pendingActivities = found?.pendingActivities.map((activity) => ({
        ...activity,
        ...(activity.lastHeartbeatAt && { lastHeartbeatAt: aged(activity.lastHeartbeatAt) }),
        ...(activity.lastStartedAt && { lastStartedAt: aged(activity.lastStartedAt) }),
      }));
      return found === undefined ? undefined : { ...found, pendingActivities: pendingActivities ?? [] };
    },
    async describeQueue(queue) {
      const { workflow, activity } = await workflows.describeQueue(queue);
      return { workflow: side(workflow), activity: side(activity) };
    },
  };
}

const runOf = async ({ platform, tenant }: SlowDeployment, runId: string): Promise<RunRecord> => {
  const run = await platform.runs.find(tenant, runId);
  if (run === undefined) throw new Error('the run is not there');
  return run;
};

/** Waits until a run shows a state of its worker. */
const workerIn = (world: SlowDeployment, runId: string, state: string) =>
  until(`a worker that is ${state}`, async () => {
    const worker = await world.platform.runs.worker(world.tenant, await runOf(world, runId));
    return worker?.state === state ? worker : undefined;
  });

/** Waits until an attempt of a run is in the hands of a worker that reports. */
async function inHands(world: SlowDeployment, runId: string, attempt: number) {
  await until('an attempt', async () => (await runOf(world, runId)).leaseEpoch === attempt);
  return workerIn(world, runId, 'working');
}

const endOf = (world: SlowDeployment, runId: string) =>
  until('the end of a run', async () => {
    const run = await runOf(world, runId);
    return run.endedAt === undefined ? undefined : run;
  });

t.test('a start that no worker would take is refused, or waits with a warning and runs when one appears', async (t) => {
  const world = await slowDeployment(t);
  const { platform, queue } = world;
  await world.enough();
  const refused = { details: { members: { queue, last_seen_at: null } } };
  await t.rejects(platform.runs.admit('slow-work'), problem('no_worker', refused));
  const { run_id, warning } = await world.start();
  t.match(warning, { code: 'no_worker', last_seen_at: null });
  t.match(await runOf(world, run_id), { status: 'pending' });
  t.match(await workerIn(world, run_id, 'none'), { last_seen_at: null });
  const worker = await world.worker();
  t.match(await endOf(world, run_id), { status: 'succeeded', leaseEpoch: 1 });
  t.match(await platform.runs.admit('slow-work'), { warning: null });
  const found = later(platform.workflows, 2 * MINUTE);
  const lately = { details: { members: { queue, last_seen_at: /Z$/ } } };
  await t.rejects(admitRun(found, { kind: 'slow-work', queue, wait: false }), problem('no_worker', lately));
  await worker.end('SIGTERM');
});

t.test('a run whose only worker was killed says so, and goes on with the next one', async (t) => {
  const world = await slowDeployment(t);
  const { platform, queue } = world;
  const worker = await world.worker();
  const { run_id } = await world.start();
  t.match(await inHands(world, run_id, 1), { last_seen_at: /Z$/ });
  await worker.end('SIGKILL');
  const soon = await workerOf(later(platform.workflows, 2 * MINUTE), await runOf(world, run_id), queue);
  t.match(soon, { state: 'gone', last_seen_at: /Z$/ });
  const next = await world.worker();
  await inHands(world, run_id, 2);
  await world.enough();
  t.match(await endOf(world, run_id), { status: 'succeeded', leaseEpoch: 2 }, 'another attempt');
  await next.end('SIGTERM');
});

t.test('a run whose worker nobody replaces is given up in the end, and its workflow with it', async (t) => {
  const world = await slowDeployment(t);
  const { platform, queue, database } = world;
  const worker = await world.worker();
  const { run_id, workflow_id } = await world.start();
  await inHands(world, run_id, 1);
  await worker.end('SIGKILL');
  await database.peek("update kernel.run set workflow_started_at = now() - interval '5 minutes'");
  let now = Date.now();
  const log = pino({ level: 'silent' });
  const duty = runSweep({
    db: platform.database.db,
    workflows: platform.workflows,
    log,
    launch: async () => void t.fail('it was started already'),
    finish: platform.runs.finish,
    queueOfKind: () => queue,
    now: () => now,
  });
  const sweep = () => duty.round({ tenants: platform.tenants, log });
  for (const minutes of [0, 2, 11]) {
    now = Date.now() + minutes * MINUTE;
    await sweep();
    t.match(await runOf(world, run_id), { status: 'running' }, `after ${minutes} minutes`);
  }
  now = Date.now() + 13 * MINUTE;
  await sweep();
  t.match(await runOf(world, run_id), { status: 'failed', failure: { code: 'worker_gone', retryable: true } });
  t.match(await platform.workflows.describe(workflow_id), { status: 'terminated' });
});
