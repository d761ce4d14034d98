import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi, type Routes } from './fake-api.ts';

const NOW = '2026-01-02T03:04:05Z';
const named = { role: 'source', queue: 'source-task-queue', plugin: 'sources' };
const page = (items: object[]) => ({ status: 200, body: { items, next_page_token: null, total: items.length } });
const queue = (schedule_to_start: object | null) => ({
  ...named,
  backlog: { tasks: 3, oldest_seconds: 12.3456, added_per_second: 1, dispatched_per_second: 2 },
  pollers: { workflow: 2, activity: 0 },
  last_seen_at: NOW,
  schedule_to_start,
});

const start = async (t: Parameters<typeof fakeApi>[0], routes: Routes) => {
  const api = await fakeApi(t, routes);
  const { weir } = commandLine(t);
  return (line: string) => weir([...line.split(' '), '--url', api.url]);
};

t.test('ops queues shows backlog, pollers and waits of each queue on one line, and all of it as JSON', async (t) => {
  const waits = { count: 9, p50_seconds: 0.0156, p95_seconds: 2, max_seconds: 5 };
  const weir = await start(t, { 'GET /api/v1/workflow-engine/task-queues': page([queue(waits)]) });
  const { code, stdout } = await weir('ops queues');
  const [heads, line] = stdout.trim().split('\n');
  t.equal(code, 0);
  t.strictSame(heads?.toLowerCase().split(/ {2,}/), [
    ...['queue', 'role', 'plugin', 'backlog', 'oldest_seconds', 'workflow_pollers', 'activity_pollers'],
    ...['p50', 'p95', 'last_seen_at'],
  ]);
  t.strictSame(line?.split(/ {2,}/), [
    ...['source-task-queue', 'source', 'sources', '3', '12.346', '2', '0', '0.016', '2', NOW],
  ]);
  t.match(JSON.parse((await weir('ops queues -o json')).stdout), { items: [{ schedule_to_start: waits }] });
});

t.test('ops queues leaves waits empty that nobody has measured', async (t) => {
  const weir = await start(t, { 'GET /api/v1/workflow-engine/task-queues': page([queue(null)]) });
  t.match(await weir('ops queues'), { code: 0, stdout: / 0 +2026-01-02T03:04:05Z\n$/ });
});

t.test('ops workers lists who polls, and who has vanished', async (t) => {
  const worker = {
    identity: 'source@abc:0011aabb',
    ...named,
    task_types: ['workflow'],
    last_seen_at: NOW,
    live: false,
  };
  const weir = await start(t, { 'GET /api/v1/workflow-engine/workers': page([worker]) });
  t.match(await weir('ops workers'), {
    code: 0,
    stdout: /^IDENTITY +ROLE +QUEUE +TASK_TYPES +LAST_SEEN_AT +LIVE\nsource@abc:0011aabb .* false\n$/,
  });
});
