import { hostname } from 'node:os';
import type { CallResult, Endpoint, Input, Output } from '@weir/kernel/contract';
import { getMetrics } from '@weir/plugin-platform/contract';
import { createSource, startDiscovery } from '@weir/plugin-sources/contract';
import {
  getEngineConfig,
  getEngineHealthDetailed,
  getEngineMetrics,
  getWorkflow,
  listEngineWorkers,
  listTaskQueues,
  waitForWorkflow,
} from '@weir/plugin-workflow-engine/contract';
import t from 'tap';
import { type TestPlatform, testPlatform } from '../platform.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

function ok<E>(result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

async function callers(world: TestPlatform) {
  const callAs = async (role: string) => {
    const who = { token: await world.token('acme', role), tenant: 'acme' };
    return async <E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}) =>
      ok(await world.call(who, endpoint, input));
  };
  return { editor: await callAs('pipeline_editor'), operator: await callAs('platform_admin') };
}

t.test('the engine shows the real workers of a deployment, what waits for them, and how long it waited', async (t) => {
  const folder = t.testdir({ warehouse: {}, data: { 'orders.csv': 'id\n1\n' } });
  const world = await testPlatform(t, folder);
  const { editor, operator } = await callers(world);
  const queue = world.environment.WORKFLOW_DISCOVERY_TASK_QUEUE;
  const own = <T extends { queue: string }>(found: readonly T[]) => found.filter((one) => one.queue === queue);
  const before = await operator(getEngineHealthDetailed);
  const idle = { status: 'no_worker' };
  t.match(before, { status: 'degraded', queues: Array(7).fill(idle) });
  const worker = await startWorker(
    t,
    world.environment,
    'source,discovery,general,transform,maintenance,ontology-sync,ontology-sync-v2',
  );
  const body = { name: 'shop', pattern_id: 'files', source_config: { path: `${folder}/data` } };
  const { source_id } = await editor(createSource, { body });
  const { workflow_id, run_id } = await editor(startDiscovery, { body: { source_id } });
  const params = { workflow_id };
  const ended = await until('the end of a workflow', async () => {
    const seen = await editor(waitForWorkflow, { params, body: { timeout_seconds: 60 } });
    return seen.is_terminal ? seen : undefined;
  });
  t.match(ended, { run_id, kind: 'source-discovery', status: 'succeeded', attempt: 1, failure: null });
  const workflow = await until('an end that the engine tells of', async () => {
    const seen = await editor(getWorkflow, { params });
    return seen.engine?.status === 'completed' ? seen : undefined;
  });
  t.match(workflow, { engine: { type: 'SourceDiscoveryWorkflow', pending_activities: [] }, worker: null });

  const { items: workers } = await until('workers that poll for both kinds of tasks', async () => {
    const found = await operator(listEngineWorkers);
    return found.items.filter(({ task_types }) => task_types.length === 2).length === 7 ? found : undefined;
  });
  const polls = { identity: /^discovery@unreleased:[0-9a-f]{8}$/, role: 'discovery', plugin: 'sources', live: true };
  t.match(own(workers), [{ ...polls, task_types: ['workflow', 'activity'] }]);
  const { queues } = await operator(getEngineConfig);
  const shared = queues.filter(({ role }) => role === 'general').map(({ plugin }) => plugin);
  t.strictSame(shared, ['schedules, webhooks, ai'], 'one queue, whichever plugins share its role');
  const up = { status: 'up', diagnostics: [] };
  t.match(await operator(getEngineHealthDetailed), { status: 'up', queues: [up, up, up, up, up] });
  const shown = [workers, await operator(getEngineConfig), workflow];
  t.notOk(JSON.stringify(shown).includes(hostname()), 'no machine is named');

  await worker.end('SIGTERM');
  const [waited] = own((await operator(listTaskQueues)).items);
  t.match(waited, { queue, schedule_to_start: { count: 2, p50_seconds: Number, p95_seconds: Number } });
  t.match(own((await operator(getEngineMetrics)).queues), [{ queue, schedule_to_start: { count: 2 } }]);
  const figures = (await operator(getMetrics)).items;
  const figure = (name: string) => figures.find((one) => one.name === name && one.labels.queue === queue);
  t.match(figure('weir_activity_schedule_to_start_seconds_count'), { value: 2 });
  t.match(figure('weir_activity_duration_seconds_count'), { value: 2, labels: { outcome: 'succeeded' } });
  t.match(figure('weir_task_queue_backlog_tasks'), { value: 0 });
});
