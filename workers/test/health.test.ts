import t from 'tap';
import { judgeBeat, judgePollers } from '../src/judge-worker.ts';
import { probe } from './run-probe.ts';
import { slowDeployment } from './slow-deployment.ts';

/** Of the loopback address, where nobody listens. */
const NO_ENGINE = { WORKFLOW_HOST: '127.0.0.1', WORKFLOW_PORT: '1' };

/** More than the second between two beats of a worker that turns. */
const SOON = ['--roles', 'slow', '--max-silence-seconds', '1.5'];

/** Has the thread that watches a worker fail once it has begun. */
const DEAD_WATCHDOG = new URL('fixtures/dead-watchdog.mjs', import.meta.url).href;

t.test('the probe of a worker', async (t) => {
  const world = await slowDeployment(t);
  const { environment } = world;
  t.match(await probe(environment), { code: 1, said: { findings: [{ detail: 'no worker of this role runs here' }] } });

  const worker = await world.worker();
  const findings = ['event_loop', 'workflow_poller', 'activity_poller'].map((check) => ({ check, outcome: 'ok' }));
  t.match(await probe(environment), { code: 0, said: { healthy: true, findings } }, 'all is well');

  const wrong = await probe({ ...environment, WORKFLOW_SLOW_TASK_QUEUE: 'nobody-is-here' });
  const unseen = { check: 'workflow_poller', outcome: 'failed', detail: /no workflow poller .* on nobody-is-here/ };
  t.match(wrong, { code: 1, said: { healthy: false } }, 'a queue that does not exist');
  t.match(wrong.said.findings?.[1], unseen);

  const away = await probe({ ...environment, ...NO_ENGINE });
  t.match(away, { code: 1, said: { findings: [{}, { check: 'engine', outcome: 'failed' }] } }, 'no engine');

  const other = await probe(environment, ['--roles', 'slow,source']);
  t.match(other, { code: 1, said: { findings: [{ role: 'source', outcome: 'failed' }] } }, 'a role that is not there');

  process.kill(worker.pid, 'SIGSTOP');
  let stuck = await probe(environment, SOON);
  while (stuck.code === 0) stuck = await probe(environment, SOON);
  process.kill(worker.pid, 'SIGCONT');
  t.match(stuck, { code: 1, said: { findings: [{ check: 'event_loop', outcome: 'failed' }] } }, 'a stuck event loop');
  t.match(await probe(environment), { code: 0 }, 'and when it turns again');

  await worker.end('SIGTERM');
  t.match(await probe(environment), { code: 1 }, 'a worker that has ended');

  const unwatched = await world.worker({ NODE_OPTIONS: `--import=${DEAD_WATCHDOG}` });
  t.equal(await unwatched.ended, 1, 'a worker whose watchdog is dead ends itself');
  t.match(await probe(environment), { code: 1, said: { findings: [{ detail: 'no worker of this role runs here' }] } });
});

t.test('a call that cannot be understood is refused', async (t) => {
  t.match(await probe({}, []), { code: 78, said: { faults: [/--roles/] } });
  const never = ['--roles', 'slow', '--max-silence-seconds', 'never'];
  t.match(await probe({}, never), { code: 78, said: { faults: [/--max-silence-seconds/] } });
});

t.test('a missing activity poller is told only while all slots are busy; a workflow poller is never missing', (t) => {
  const now = Date.now();
  const side = (identity: string, seconds: number) => ({
    pollers: [{ identity, lastSeenAt: new Date(now - seconds * 1_000) }],
    backlog: { tasks: 0, oldestSeconds: 0, addedPerSecond: 0, dispatchedPerSecond: 0 },
  });
  const judged = (busy: number, workflow: ReturnType<typeof side>, activity: ReturnType<typeof side>) => {
    const state = { role: 'source', queue: 'q', identity: 'mine', slots: 8, in_flight: busy };
    return judgePollers(state, { queue: 'q', found: { workflow, activity }, now }).map(({ outcome }) => outcome);
  };
  t.strictSame(judged(0, side('mine', 10), side('mine', 10)), ['ok', 'ok']);
  t.strictSame(judged(8, side('mine', 60), side('mine', 145)), ['ok', 'diagnostic'], 'all slots are busy');
  t.strictSame(judged(7, side('mine', 60), side('mine', 145)), ['ok', 'failed'], 'a slot is free');
  t.strictSame(judged(8, side('mine', 91), side('mine', 145)), ['failed', 'diagnostic'], 'nobody polls for workflows');
  t.strictSame(judged(0, side('other', 1), side('other', 1)), ['failed', 'failed'], 'others prove nothing');
  t.end();
});

t.test('the age of a beat is by the clock that only rises', (t) => {
  const second = 1_000_000_000n;
  t.match(judgeBeat({ beat_ns: '0' }, 10n * second, 10_000), { outcome: 'ok' });
  t.match(judgeBeat({ beat_ns: '0' }, 11n * second, 10_000), { outcome: 'failed', detail: /11\.0 s ago/ });
  t.match(judgeBeat({ beat_ns: String(2n * second) }, second, 10_000), { outcome: 'ok' });
  t.end();
});
