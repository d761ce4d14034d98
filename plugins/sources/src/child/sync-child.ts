import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConnectorProcess, loadEngineLibrary, type SealedSegment } from '@weir/connector-runtime';
import type { Telemetry } from '@weir/kernel';
import { startPulse } from '@weir/processes';
import { type ChildLog, childLog } from '../model/log/child-log.ts';
import { pullLines } from '../model/log/pull-lines.ts';
import { type ChildPlan, type FromChild, type FromParent, IN_CONTAINERS } from '../model/process/messages.ts';
import { armChild } from '../model/runtime/child-faultpoint.ts';
import { chosenRuntime } from '../model/runtime/chosen-runtime.ts';
import { type ChildWork, childWork } from './child-work.ts';
import { readSource } from './read-source.ts';
import { thrownFailure } from './thrown-failure.ts';

/** How long after the word that a connector starts the work beside it begins: that word leaves this process first. */
const BEHIND_START_MS = 5;

/** Segments that are sealed and not yet let go. */
const segments = new Map<number, SealedSegment>();
let connector: ConnectorProcess | undefined;
/** Aborted when the parent wants the connector stopped, which may not be started yet. */
const stopping = new AbortController();
let work: ChildWork | undefined;
let log: ChildLog | undefined;
const { promise: over, resolve: end } = Promise.withResolvers<void>();

function send(message: FromChild): void {
  process.send?.(message);
}

/** Sends a message; resolves when it has left. */
function sent(message: FromChild): Promise<void> {
  return new Promise((done) => {
    if (process.send === undefined || !process.connected) done();
    else process.send(message, () => done());
  });
}

/**
 * One attempt of a sync, in a process of its own: runs the connector, routes its lines into a spool, and types and merges
 * them as its parent tells it to. It decides nothing and holds no credential of the database.
 */
async function sync(plan: ChildPlan): Promise<void> {
  log = childLog({
    secrets: plan.secrets,
    maxLines: plan.maxLogLines,
    send: (lines) => sent({ type: 'log', lines }),
  });
  const folder = (name: string) => join(plan.workDir, name);
  for (const name of ['spool', 'stage']) await mkdir(folder(name), { recursive: true, mode: 0o700 });
  const runtime = chosenRuntime(plan.runtime, { ...plan, workDir: folder('workspaces') });
  const { config, catalog, state, image, labels, limits, segments: asSegments, pinned } = plan;
  const inputs = { config, catalog, state };
  const onStderr = log.stderr;
  log.write({ level: 'info', step: 'connector', message: `the connector starts: ${image}` });
  let working: Promise<ChildWork> | undefined;
  const getReady = () => {
    working ??= childWork({ plan, segments, scratch: folder('stage') });
    working.catch(() => undefined);
    return working;
  };
  const pull = pullLines(log.write);
  connector = await runtime.run({
    image,
    role: 'source',
    labels,
    verb: 'read',
    inputs,
    limits,
    segments: asSegments,
    onStderr,
    onPull(progress) {
      pull.progress(progress);
      send({ type: 'pull', progress });
    },
    // What types the rows gets ready while the connector starts.
    onStarting: () => void setTimeout(getReady, BEHIND_START_MS),
    signal: stopping.signal,
    ...(pinned === undefined ? {} : { pinned }),
  });
  if (connector.image !== undefined) {
    pull.runs(connector.image);
    send({ type: 'image', image: connector.image });
  }
  if (connector.pid !== undefined) send({ type: 'connector', name: connector.name, pid: connector.pid });
  work = await getReady();
  try {
    await readSource({ plan, connector, segments, send, log });
    await log.end();
    await over;
    await connector.removed;
  } finally {
    work.close();
  }
}

/** Goes on with the trace of the activity; nothing of it is loaded when there is none. */
async function openTrace(): Promise<Telemetry | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, WEIR_RELEASE_SHA: version = 'unreleased' } = process.env;
  if (endpoint === undefined) return undefined;
  const { startTelemetry } = await import('@weir/kernel');
  return startTelemetry({ endpoint, service: 'weir-sync', version });
}

function traced(plan: ChildPlan, telemetry: Telemetry | undefined): Promise<void> {
  const attributes = { run_id: plan.runId, source_id: plan.labels.source };
  const facts = { name: 'sync.child', parent: process.env.TRACEPARENT, attributes };
  return telemetry === undefined ? sync(plan) : telemetry.span(facts, () => sync(plan));
}

/** Carries the attempt out, tells the parent if it could not, and ends once everything that was said has left. */
async function carryOut(plan: ChildPlan): Promise<void> {
  let telemetry: Telemetry | undefined;
  let failure: FromChild | undefined;
  try {
    telemetry = await openTrace();
    await traced(plan, telemetry);
  } catch (error) {
    await connector?.stop();
    await log?.end();
    const cause = error instanceof Error ? error.name : 'unknown';
    failure = { type: 'failed', failure: await thrownFailure(error), cause };
  }
  await telemetry?.stop();
  if (failure === undefined) process.disconnect?.();
  else process.send?.(failure, () => process.disconnect?.());
}

armChild();
// It takes its time to load: it is here when the plan is.
if (process.argv.includes(IN_CONTAINERS)) loadEngineLibrary();
process.on('message', (message: FromParent) => {
  if (message.type === 'plan') {
    startPulse(() => send({ type: 'pulse' }));
    Object.assign(process.env, message.trace);
    void carryOut(message.plan);
  } else if (message.type === 'work') {
    const { id } = message;
    work?.perform(message.work).then((event) => send({ type: 'done', id, event }));
  } else if (message.type === 'release') {
    segments.get(message.segment)?.release();
    segments.delete(message.segment);
  } else if (message.type === 'stop') stopping.abort();
  else if (message.type === 'logged') log?.taken();
  else end();
});
// Without its parent an attempt cannot commit: it ends at once, and the connector with it, whose stdin closes.
process.on('disconnect', () => process.exit(0));
