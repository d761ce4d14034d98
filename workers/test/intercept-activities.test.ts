import { CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import { startTelemetry } from '@weir/kernel';
import type { ActivityWatch } from '@weir/kernel/contract';
import { testCollector } from '@weir/kernel/testing';
import t from 'tap';
import { engineLine } from '../src/role/engine-lines.ts';
import { interceptActivities } from '../src/role/intercept-activities.ts';
import { runOf } from '../src/role/run-of.ts';
import { traceEnvironment } from '../src/role/trace-environment.ts';
import { workerIdentity } from '../src/role/worker-identity.ts';

const runId = '018f4a6e-0000-7000-8000-000000000009';
const workflowId = `018f4a6e-0000-7000-8000-000000000001:note-writing:${runId}`;
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

t.test('an activity is told when it starts and when it ends, and is a span of the trace of its workflow', async (t) => {
  const collector = await testCollector(t);
  const telemetry = await startTelemetry({ endpoint: collector.url, service: 'weir-test', version: '1' });
  const told: Parameters<ActivityWatch>[] = [];
  const gates: unknown[] = [];
  const intercept = interceptActivities({
    queue: 'q',
    telemetry,
    watches: () => [
      () => {
        throw new Error('a watch that is broken');
      },
      (...what) => void told.push(what),
    ],
    gate: async (...asked) => void gates.push(asked),
    log: { warn: () => undefined },
  });
  const execute = async (work: () => Promise<unknown>, scheduledAgoMs: number) => {
    const info = {
      activityType: 'write',
      attempt: 2,
      workflowExecution: { workflowId },
      currentAttemptScheduledTimestampMs: Date.now() - scheduledAgoMs,
    };
    const { inbound } = intercept({ info } as never);
    const headers = { traceparent: defaultPayloadConverter.toPayload(traceparent) };
    return inbound?.execute?.({ args: [{ tenant_id: 'x' }], headers } as never, work as never);
  };
  t.equal(await execute(async () => telemetry.traceparent()?.slice(3, 35), 2_000), traceparent.slice(3, 35));
  await t.rejects(
    execute(() => Promise.reject(new Error('no')), -60_000),
    /no/,
  );
  await t.rejects(
    execute(() => Promise.reject(new CancelledFailure('x')), 0),
    /x/,
  );
  t.strictSame(gates, Array(3).fill(['write', { tenant_id: 'x' }]));
  const [waited, done, clockAhead] = told;
  t.ok(waited && waited[0] === 'q' && waited[1] >= 2 && waited[1] < 60 && waited[2] === undefined);
  t.ok(done && done[1] >= 0 && done[1] < 60);
  t.equal(clockAhead?.[1], 0, 'a clock that is behind makes no negative wait');
  t.strictSame(
    told.flatMap(([, , outcome]) => outcome ?? []),
    ['succeeded', 'failed', 'cancelled'],
  );
  await telemetry.stop();
  const attributes = { kind: 'note-writing', run_id: runId, attempt: 2 };
  const span = { name: 'activity.write', parentSpanId: 'b7ad6b7169203331', attributes };
  t.match(collector.spans(), [{ ...span, failed: false }, { ...span, failed: true }, span]);
});

t.test('an activity that is refused never begins', async (t) => {
  const telemetry = await startTelemetry({ endpoint: undefined, service: 'weir-test', version: '1' });
  const refusal = new Error('refused');
  const intercept = interceptActivities({
    queue: 'q',
    telemetry,
    watches: () => [],
    gate: () => Promise.reject(refusal),
    log: { warn: () => undefined },
  });
  const info = { activityType: 'write', attempt: 1, currentAttemptScheduledTimestampMs: 0 };
  const { inbound } = intercept({ info } as never);
  let begun = false;
  const next = async () => {
    begun = true;
  };
  await t.rejects(async () => inbound?.execute?.({ args: [], headers: {} } as never, next as never), refusal);
  t.equal(begun, false);
});

t.test('a workflow id tells of a run only when it has the form of one', async (t) => {
  t.strictSame(runOf(workflowId), { kind: 'note-writing', run_id: runId });
  for (const other of [undefined, '', 'x:y:z', `${workflowId}:more`]) t.strictSame(runOf(other), {});
});

t.test('a worker is called by role, release and nonce, never by its machine', async (t) => {
  t.match(workerIdentity('source', 'e3b0c44298fc1c149afbf4c8996fb924'), /^source@e3b0c44298fc:[0-9a-f]{8}$/);
  t.match(workerIdentity('ontology-v2', 'a b/c:d'), /^ontology-v2@a_b_c_d:[0-9a-f]{8}$/);
  t.not(workerIdentity('source', 'x'), workerIdentity('source', 'x'));
});

t.test('a child process is told how to go on with a trace only when there is a collector and a trace', async (t) => {
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', WEIR_RELEASE_SHA: 'r' };
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: 'k=v',
    OTEL_EXPORTER_OTLP_ENDPOINT_FILE: '/f',
    DB_PASSWORD: 'canary',
  };
  const traced = { traceparent: () => traceparent };
  t.strictSame(traceEnvironment(settings, traced, environment), {
    OTEL_EXPORTER_OTLP_HEADERS: 'k=v',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
    TRACEPARENT: traceparent,
    WEIR_RELEASE_SHA: 'r',
  });
  t.strictSame(traceEnvironment(settings, { traceparent: () => undefined }, environment), {});
  t.strictSame(traceEnvironment({ WEIR_RELEASE_SHA: 'r' }, traced, environment), {});
});

t.test('a line of the client of the engine has the keys of our own lines, and no token of the task', async (t) => {
  const telemetry = await startTelemetry({ endpoint: undefined, service: 'weir-test', version: '1' });
  const deps = {
    queue: 'q',
    telemetry,
    watches: () => [],
    gate: async () => undefined,
    log: { warn: () => undefined },
  };
  const info = { activityType: 'write', attempt: 1, workflowExecution: { workflowId } };
  const { inbound, outbound } = interceptActivities(deps)({ info } as never);
  const headers = { traceparent: defaultPayloadConverter.toPayload(traceparent) };
  await inbound?.execute?.({ args: [], headers } as never, (async () => undefined) as never);
  const given = { workflowId, activityType: 'write', taskToken: 'c2VjcmV0', taskQueue: 'q', attempt: 1 };
  const meta = outbound?.getLogAttributes?.(given, (input) => input);
  const error = new Error('no');
  t.strictSame(engineLine({ ...meta, error }), {
    ...{ workflow_id: workflowId, run_id: runId, trace_id: traceparent.slice(3, 35) },
    ...{ activity_type: 'write', task_queue: 'q', attempt: 1, err: error },
  });
  t.strictSame(engineLine(), {});
});
