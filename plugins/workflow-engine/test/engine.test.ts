import t from 'tap';
import {
  getEngineConfig,
  getEngineHealth,
  getEngineHealthDetailed,
  getEngineMetrics,
  listEngineWorkers,
  listTaskQueues,
} from '../src/contract.ts';
import { engineUnderTest, ok, QUEUE } from './kit.ts';

const admin = 'platform_admin';
const ROUTES = [
  getEngineHealth,
  getEngineHealthDetailed,
  getEngineConfig,
  getEngineMetrics,
  listEngineWorkers,
  listTaskQueues,
];
const named = { role: 'notes', queue: QUEUE, plugin: 'notes' };
const MINUTES_AGO = () => new Date(Date.now() - 120_000);

t.test('only platform admins see the engine that all tenants share', async (t) => {
  const under = await engineUnderTest(t);
  await under.tenant('acme');
  for (const route of ROUTES) {
    for (const role of ['viewer', 'pipeline_editor', 'admin']) {
      t.match(await under.as('acme', role).call(route), { status: 403, problem: { code: 'forbidden_role' } });
    }
    t.match(await under.as('acme', admin).call(route), { status: 200 }, route.id);
    const answer = await under.app.inject({ url: `/api/v1${route.path}` });
    t.equal(answer.statusCode, 401);
  }
});

t.test('an engine that is there and polled is up; a missing activity poller is a diagnostic only', async (t) => {
  const under = await engineUnderTest(t);
  const { call } = under.as('acme', admin);
  t.match(ok(await call(getEngineHealth)), { status: 'up' });
  const both = under.workflows.describeQueue;
  under.workflows.describeQueue = async (queue) => {
    const { workflow } = await both(queue);
    return { workflow, activity: { ...workflow, pollers: [] } };
  };
  const detailed = ok(await call(getEngineHealthDetailed));
  t.match(detailed, {
    status: 'up',
    server_version: 'memory',
    queues: [{ ...named, status: 'up', workflow_poller: { live: true, pollers: 1 }, activity_poller: { live: false } }],
  });
  t.match(detailed.queues[0], {
    backlog: { verdict: 'empty' },
    diagnostics: [{ code: 'activity_poller_missing', detail: String }],
  });
});

t.test('a queue that nobody polls is degraded and says who was seen last', async (t) => {
  const under = await engineUnderTest(t);
  const seen = MINUTES_AGO();
  under.workflows.polledAt = seen;
  const { call } = under.as('acme', admin);
  t.match(ok(await call(getEngineHealthDetailed)), {
    status: 'degraded',
    queues: [{ status: 'no_worker', workflow_poller: { live: false, pollers: 0, last_seen_at: seen.toISOString() } }],
  });
  t.match(ok(await call(listTaskQueues)).items, [
    { ...named, pollers: { workflow: 0, activity: 0 }, last_seen_at: seen.toISOString() },
  ]);
  t.match(ok(await call(listEngineWorkers)).items, [{ live: false, task_types: ['workflow', 'activity'] }]);
});

t.test('an engine that is away is down; what only it knows is 503, and never an invented zero', async (t) => {
  const under = await engineUnderTest(t);
  under.workflows.down = true;
  under.workflows.engine = () => Promise.reject(new Error('the engine is down'));
  const { call } = under.as('acme', admin);
  t.match(ok(await call(getEngineHealth)), { status: 'down' });
  t.match(ok(await call(getEngineHealthDetailed)), {
    status: 'down',
    server_version: null,
    queues: [{ status: 'unreachable' }],
  });
  for (const route of [getEngineMetrics, listEngineWorkers, listTaskQueues]) {
    t.match(await call(route), { status: 503, problem: { code: 'dependency_unavailable' } }, route.id);
  }
});

t.test('configuration tells namespace, queues by role, retention and limits, and nothing of machines', async (t) => {
  const under = await engineUnderTest(t);
  const config = ok(await under.as('acme', admin).call(getEngineConfig));
  t.strictSame(config, {
    namespace: 'memory',
    server_version: 'memory',
    retention_seconds: 86_400,
    queues: [named],
    limits: { wait_seconds: 60, waits: 200, poller_live_seconds: 70, snapshot_age_seconds: 5 },
  });
});

t.test('workers are listed by a name of ours; the name of any other is not told', async (t) => {
  const under = await engineUnderTest(t);
  const [now, ago] = [new Date(), MINUTES_AGO()];
  const nobody = await under.workflows.describeQueue(QUEUE);
  const poller = (identity: string, lastSeenAt: Date) => ({ identity, lastSeenAt });
  under.workflows.describeQueue = async () => ({
    workflow: { ...nobody.workflow, pollers: [poller('notes@abc123:0011aabb', now), poller('4711@secret-host', ago)] },
    activity: { ...nobody.activity, pollers: [poller('notes@abc123:0011aabb', ago)] },
  });
  const answer = await under.as('acme', admin).call(listEngineWorkers);
  t.match(ok(answer), {
    total: 2,
    next_page_token: null,
    items: [
      { ...named, identity: 'notes@abc123:0011aabb', task_types: ['workflow', 'activity'], live: true },
      { ...named, identity: /^foreign:[0-9a-f]{8}$/, task_types: ['workflow'], live: false },
    ],
  });
  t.notMatch(JSON.stringify(ok(answer)), /secret-host|4711/);
});

t.test(
  'waits are told from the sums of all processes, and are null without the plugin that adds them up',
  async (t) => {
    const bucket = (le: string, value: number) => ({
      metricName: 'weir_activity_schedule_to_start_seconds_bucket',
      labels: { queue: QUEUE, le },
      value,
    });
    const totals = [bucket('+Inf', 20), bucket('1', 10), bucket('10', 20)];
    const under = await engineUnderTest(t, { totals });
    const { call } = under.as('acme', admin);
    const waits = { count: 20, p50_seconds: 1, p95_seconds: 9.1, max_seconds: 10 };
    t.match(ok(await call(listTaskQueues)).items, [{ schedule_to_start: waits }]);
    t.match(ok(await call(getEngineMetrics)).queues, [{ ...named, schedule_to_start: waits }]);
    const alone = (await engineUnderTest(t)).as('acme', admin);
    t.match(ok(await alone.call(listTaskQueues)).items, [{ schedule_to_start: null }]);
  },
);
