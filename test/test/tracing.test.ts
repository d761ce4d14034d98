import type { CallResult, Endpoint, Input, Output } from '@weir/kernel/contract';
import { type CollectedSpan, testCollector } from '@weir/kernel/testing';
import {
  createSource,
  getDiscoveryStatus,
  getSyncStatus,
  listStreams,
  startDiscovery,
  startSync,
  updateStream,
} from '@weir/plugin-sources/contract';
import t, { type Test } from 'tap';
import { logLines } from '../log-lines.ts';
import { type TestPlatform, testPlatform } from '../platform.ts';
import { until } from '../until.ts';
import { startWorker } from '../worker-process.ts';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const CANARY = 'canary-8f2e';

type Line = Record<string, unknown>;
type Call = <E extends Endpoint>(endpoint: E, input?: Partial<Input<E>>) => Promise<Output<E>>;

function ok<E>(result: CallResult<E>): Output<E> {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.body;
}

/** A caller in tenant acme, with a trace of its own when one is given. */
async function caller(world: TestPlatform, headers: Record<string, string> = {}): Promise<Call> {
  const who = { token: await world.token('acme'), tenant: 'acme', headers };
  return async (endpoint, input = {}) => ok(await world.call(who, endpoint, input));
}

/** Creates a source of one file and discovers it as the given caller. */
async function discoverOnce(call: Call, path: string, asCaller: Call) {
  const { source_id } = await call(createSource, {
    body: { name: 'shop', pattern_id: 'files', source_config: { path } },
  });
  const { workflow_id } = await asCaller(startDiscovery, { body: { source_id } });
  const { status } = await until('a discovery', async () => {
    const seen = await call(getDiscoveryStatus, { params: { workflow_id } });
    return seen.is_terminal && seen;
  });
  return { source_id, status };
}

/** Discovers and enables such a source, then syncs it as the given caller; answers the ended run. */
async function syncOnce(call: Call, path: string, asCaller: Call) {
  const { source_id } = await discoverOnce(call, path, call);
  const { items } = await call(listStreams, { params: { source_id } });
  for (const { stream_id } of items) {
    const body = { enabled: true, sync_mode: 'full_refresh', write_mode: 'overwrite' } as const;
    await call(updateStream, { params: { source_id, stream_id }, body });
  }
  const { run_id } = await asCaller(startSync, { params: { source_id } });
  const run = await until('a sync', async () => {
    const { run } = await call(getSyncStatus, { params: { source_id }, query: { run_id } });
    return run?.is_terminal ? run : undefined;
  });
  return { ...run, source_id };
}

/** Whether the lines of a sync in both logs are found by each of its keys. */
function namedByEachKey(t: Test, keys: Record<string, string>, logs: { API: Line[]; worker: Line[] }) {
  const isOurs = (line: Line) => line.trace_id === CALLER.traceId;
  for (const [key, id] of Object.entries(keys)) {
    for (const [where, lines] of Object.entries(logs)) {
      t.ok(lines.filter((line) => line[key] === id).some(isOurs), `${where}: lines of the sync by ${key}`);
    }
  }
  const start = logs.API.find((line) => /\/sync$/.test(String(line.route)) && isOurs(line));
  t.match(start, { ...keys, msg: 'answered' }, 'the answer to a start names what it made');
  t.match(logs.worker, [keys, keys], 'each line of an attempt has all of them');
}

t.test('OTEL_EXPORTER_OTLP_ENDPOINT: a sync is one trace from the request to the child process', async (t) => {
  const folder = t.testdir({ warehouse: {}, [CANARY]: { 'orders.csv': `id,note\n1,${CANARY}\n` } });
  const collector = await testCollector(t);
  const api = logLines();
  const world = await testPlatform(t, folder, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, api.adapt);
  const worker = await startWorker(t, { ...world.environment, OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=abc' });
  const inTrace = await caller(world, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` });
  const run = await syncOnce(await caller(world), `${folder}/${CANARY}`, inTrace);
  t.match(run, { status: 'succeeded', rows_written: 1 });
  const names = [
    ...['sources.start_sync', 'run.start', 'workflow.start', 'workflow.SourceSyncWorkflow'],
    ...['activity.attemptSourceSync', 'activity.endSourceSync', 'sync.child'],
  ];
  const traced = () => collector.spans().filter(({ traceId }) => traceId === CALLER.traceId);
  // The run is over before its workflow is, whose end would be told by the next worker if this one left before it.
  await until('the span of the workflow', () => traced().some(({ name }) => name === 'workflow.SourceSyncWorkflow'));
  await worker.end('SIGTERM');
  await until('every span', () => traced().length >= names.length);
  const spans = traced();
  const named = (name: string) => spans.find((span) => span.name === name) as CollectedSpan;
  t.strictSame(spans.map(({ name }) => name).sort(), names.toSorted());
  const parents = {
    'run.start': 'sources.start_sync',
    'workflow.start': 'run.start',
    'workflow.SourceSyncWorkflow': 'workflow.start',
    'activity.attemptSourceSync': 'workflow.SourceSyncWorkflow',
    'activity.endSourceSync': 'workflow.SourceSyncWorkflow',
    'sync.child': 'activity.attemptSourceSync',
  };
  t.equal(named('sources.start_sync').parentSpanId, CALLER.spanId);
  for (const [name, parent] of Object.entries(parents)) {
    t.equal(named(name).parentSpanId, named(parent).spanId, `${name} is part of ${parent}`);
  }
  const ids = { kind: 'source-sync', run_id: run.run_id };
  t.match(named('sources.start_sync').attributes, { 'http.response.status_code': 202, 'http.route': /:source_id/ });
  t.match(named('activity.attemptSourceSync'), { service: 'weir-worker', attributes: { ...ids, attempt: 1 } });
  t.match(named('sync.child'), { service: 'weir-sync', attributes: { run_id: run.run_id, source_id: run.source_id } });
  t.match(named('workflow.SourceSyncWorkflow').attributes, { ...ids, outcome: 'succeeded' });
  t.notOk(spans.some(({ failed }) => failed));
  const wrote = worker.log().filter(({ trace_id }) => trace_id === CALLER.traceId);
  t.match(wrote, [{ msg: 'attempt started', run_id: run.run_id }, { msg: 'attempt ended' }]);
  const keys = { workflow_id: run.workflow_id, source_id: run.source_id, trace_id: CALLER.traceId };
  namedByEachKey(t, keys, { API: api.lines, worker: wrote });
  const received = collector.received();
  t.match(received, /x-collector-key/);
  const secrets = [CANARY, 'acme', world.database.app.password, world.database.app.database, 'select ', '?'];
  for (const secret of secrets) t.notOk(received.includes(secret), `${secret} is not told`);
});

t.test(
  'OTEL_EXPORTER_OTLP_ENDPOINT unset: nobody is told, and the worker still logs the trace of the request',
  async (t) => {
    const folder = t.testdir({ warehouse: {}, data: { 'orders.csv': 'id\n1\n' } });
    const collector = await testCollector(t);
    const world = await testPlatform(t, folder);
    const worker = await startWorker(t, world.environment);
    const traced = await caller(world, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` });
    t.match(await discoverOnce(await caller(world), `${folder}/data`, traced), { status: 'succeeded' });
    await worker.end('SIGTERM');
    t.strictSame(collector.spans(), []);
    t.match(
      worker.log().filter(({ trace_id }) => trace_id === CALLER.traceId),
      [{ msg: 'attempt started' }, { msg: 'attempt ended' }],
    );
  },
);
