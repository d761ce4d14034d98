import fc from 'fast-check';
import t from 'tap';
import { cancelRun } from '../src/runs/cancel-run.ts';
import { admitRun, judge, workerOf } from '../src/runs/run-worker.ts';
import type { RunRecord } from '../src/runs/runs.ts';
import { memoryWorkflows } from '../src/testing.ts';
import type { PendingActivity, TaskQueueDescription } from '../src/workflows/workflows.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000);
const backlog = { tasks: 0, oldestSeconds: 0, addedPerSecond: 0, dispatchedPerSecond: 0 };
const problem = (code: string, more: object = {}) => ({ entry: { code }, ...more }) as unknown as Error;

const queueOf = (...seen: number[]): TaskQueueDescription => ({
  workflow: { pollers: seen.map((seconds) => ({ identity: 'w', lastSeenAt: ago(seconds) })), backlog },
  activity: { pollers: [], backlog },
});
const activity = (state: PendingActivity['state'], heartbeat?: number): PendingActivity => ({
  type: 'read',
  state,
  attempt: 1,
  ...(heartbeat === undefined ? {} : { lastHeartbeatAt: ago(heartbeat) }),
});

t.test('what a run shows of its worker follows from its activities and from who polls', async (t) => {
  const table: [string, boolean, PendingActivity[], TaskQueueDescription, string][] = [
    ['a heartbeat of a second ago', true, [activity('started', 1)], queueOf(), 'working'],
    ['one that is asked to stop still works', true, [activity('cancel_requested', 1)], queueOf(), 'working'],
    ['an old heartbeat, somebody polls', true, [activity('started', 300)], queueOf(10), 'waiting'],
    ['an old heartbeat, nobody polls', true, [activity('started', 300)], queueOf(), 'gone'],
    ['between attempts, nobody polls', true, [activity('scheduled', 5)], queueOf(), 'gone'],
    ['a poll that began 71 s ago is a dead one', true, [], queueOf(71), 'gone'],
    ['a poll that began 70 s ago may be open', true, [], queueOf(70), 'waiting'],
    ['never begun, nobody polls', false, [], queueOf(), 'none'],
    ['never begun, somebody polls', false, [], queueOf(3), 'waiting'],
  ];
  for (const [what, begun, pendingActivities, queue, state] of table) {
    t.equal(judge(begun, { pendingActivities }, queue, NOW).state, state, what);
  }
});

t.test('a run is never shown as worked on when nothing was heard of it for a minute', async () => {
  const ages = fc.option(fc.integer({ min: 61, max: 10_000 }), { nil: undefined });
  const states = fc.constantFrom<PendingActivity['state']>('scheduled', 'started', 'cancel_requested', 'paused');
  const activities = fc.array(fc.tuple(states, ages).map(([state, age]) => activity(state, age)));
  fc.assert(
    fc.property(fc.boolean(), activities, fc.array(fc.nat(200)), (begun, pendingActivities, polls) => {
      return judge(begun, { pendingActivities }, queueOf(...polls), NOW).state !== 'working';
    }),
    { numRuns: 1000 },
  );
});

const run = (status: RunRecord['status']) => ({ runId: 'r', kind: 'sync', workflowId: 'w', status }) as RunRecord;
const asked = { kind: 'sync', queue: 'q', wait: false };

t.test('a start without a worker is refused with the last one seen, or waits with that warning', async (t) => {
  const workflows = memoryWorkflows();
  t.strictSame(await admitRun(workflows, asked), { kind: 'sync', warning: null });
  workflows.polledAt = undefined;
  const never = { details: { members: { queue: 'q', last_seen_at: null } } };
  await t.rejects(admitRun(workflows, asked), problem('no_worker', never));
  workflows.polledAt = new Date(Date.now() - 120_000);
  const seen = workflows.polledAt.toISOString();
  const lately = { details: { members: { queue: 'q', last_seen_at: seen } } };
  await t.rejects(admitRun(workflows, asked), problem('no_worker', lately));
  const waiting = await admitRun(workflows, { ...asked, wait: true });
  t.match(waiting.warning, { code: 'no_worker', last_seen_at: seen });
});

t.test('an engine that is away refuses no start: the run waits for it', async (t) => {
  const workflows = memoryWorkflows();
  workflows.down = true;
  t.match(await admitRun(workflows, asked), { warning: { code: 'dependency_unavailable' } });
  t.match(await workerOf(workflows, run('running'), 'q'), { state: 'unknown' });
  t.equal(await workerOf(workflows, run('failed'), 'q'), undefined);
});

t.test('a cancel asks the worker that has the run, and ends at once what nobody has', async (t) => {
  const workflows = memoryWorkflows();
  await workflows.start({ workflowId: 'w', type: 'W', taskQueue: 'q', args: [] });
  let ended = 0;
  const deps = {
    workflows,
    queue: 'q',
    async end() {
      ended += 1;
      return true;
    },
  };
  t.equal(await cancelRun(run('running'), deps), 'cancelling');
  t.strictSame([workflows.cancelled, ended], [['w'], 0]);
  workflows.polledAt = undefined;
  t.equal(await cancelRun(run('running'), deps), 'cancelled', 'its worker is gone');
  t.equal(await cancelRun(run('pending'), deps), 'cancelled', 'no worker has taken it');
  t.strictSame([workflows.terminated.length, ended], [2, 2]);
  await t.rejects(cancelRun(run('succeeded'), deps), problem('run_not_active'));
  await t.rejects(cancelRun(run('pending'), { ...deps, end: async () => false }), problem('run_not_active'));
});
