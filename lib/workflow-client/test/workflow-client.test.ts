import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { createTelemetry } from '@weir/telemetry';
import { Secret } from '@weir/vault';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { type WorkflowClientOptions, workflowClient } from '../src/index.ts';

const address = process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '127.0.0.1:7233';

/** A client of the test's engine unless the options name another. */
const clientOf = (options: Partial<WorkflowClientOptions> = {}) =>
  workflowClient({ address, namespace: 'default', unavailable: (cause) => new Error('away', { cause }), ...options });

t.test('a secret prints as [secret] in every way, and the converter refuses to send one', async (t) => {
  const secret = new Secret('canary');
  t.equal(`${secret} ${JSON.stringify({ secret })} ${inspect(secret)}`, '[secret] {"secret":"[secret]"} [secret]');
  const workflows = clientOf();
  t.teardown(() => workflows.close());
  const start = (args: unknown[]) =>
    workflows.start({ workflowId: randomUUID(), type: 'None', taskQueue: 'nobody', args });
  await t.rejects(start([{ deep: [{ secret }] }]), /Secret must not be sent/);
});

t.test('a workflow starts once per id, is described, and can be cancelled', async (t) => {
  const workflows = clientOf();
  t.teardown(() => workflows.close());
  const workflowId = randomUUID();
  const request = { workflowId, type: 'None', taskQueue: 'nobody-polls', args: [{ run_id: 'r' }] };
  await workflows.start(request);
  await workflows.start(request);
  t.match(await workflows.describe(workflowId), { status: 'running', type: 'None', taskQueue: 'nobody-polls' });
  await workflows.cancel(workflowId);
  await workflows.terminate(workflowId, 'test');
  t.match(await workflows.describe(workflowId), { status: 'terminated', closedAt: Date });
  t.equal(await workflows.describe(randomUUID()), undefined);
  for (const end of ['cancel', 'terminate'] as const) await workflows[end](workflowId, 'twice');
  t.equal(await workflows.health(), true);
});

t.test('the engine tells of itself, and of a queue that nobody polls with what waits in it', async (t) => {
  const workflows = clientOf();
  t.teardown(() => workflows.close());
  const taskQueue = randomUUID();
  const workflowId = randomUUID();
  await workflows.start({ workflowId, type: 'None', taskQueue, args: [] });
  t.teardown(() => workflows.terminate(workflowId, 'test'));
  t.match(await workflows.engine(), { serverVersion: /^1\./, namespace: 'default', retentionSeconds: Number });
  // The engine counts about, and a little later.
  await until('the task in the backlog', async () => {
    const { workflow, activity } = await workflows.describeQueue(taskQueue);
    t.strictSame([workflow.pollers, activity.pollers], [[], []]);
    return workflow.backlog.tasks === 1;
  });
});

t.test('a workflow carries the trace in which it is started, and none outside of one', async (t) => {
  const telemetry = createTelemetry();
  const workflows = clientOf({ traceparent: telemetry.traceparent });
  t.teardown(() => workflows.close());
  const connection = await Connection.connect({ address });
  t.teardown(() => connection.close());
  const headersOf = async (traceparent: string | undefined) => {
    const workflowId = randomUUID();
    const request = { workflowId, type: 'None', taskQueue: 'nobody-polls', args: [] };
    await telemetry.within(traceparent, () => workflows.start(request));
    t.teardown(() => workflows.terminate(workflowId, 'test'));
    const { events } = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
    return events?.[0]?.workflowExecutionStartedEventAttributes?.header?.fields ?? {};
  };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { traceparent: header } = await headersOf(traceparent);
  t.equal(header && defaultPayloadConverter.fromPayload(header), traceparent);
  t.strictSame(await headersOf(undefined), {});
});

t.test('an engine that is not there → the error that `unavailable` makes', async (t) => {
  const workflows = clientOf({ address: '127.0.0.1:1' });
  await t.rejects(workflows.describe('x'), { message: 'away', cause: Error });
});
