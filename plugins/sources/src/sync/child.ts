import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ConnectorProcess,
  createSpool,
  processRuntime,
  readSync,
  type Spool,
  streamOfKey,
} from '@weir/connector-runtime';
import type { Telemetry } from '@weir/kernel';
import { createStager } from '@weir/plugin-datasets/stage';
import { failureOf, verdictFailure } from './failure.ts';
import { loadSegments } from './load-segments.ts';
import type { Ask, ChildPlan, FromChild, FromParent, Progress, StreamResult } from './messages.ts';

const PROGRESS_EVERY_MS = 500;

/** The parent's answers by the number of the question. */
const waiting = new Map<number, () => void>();
let asked = 0;
let connector: ConnectorProcess | undefined;

function send(message: FromChild): void {
  process.send?.(message);
}

/** Asks the parent and waits for its answer. A parent that cannot answer ends this process, so there is no refusal. */
function ask(question: Ask): Promise<void> {
  const id = ++asked;
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.set(id, resolve);
  send({ type: 'ask', id, ask: question });
  return promise;
}

/**
 * One attempt of a sync, in a process of its own: runs the connector, routes its lines into a spool and types them into
 * data files. It holds no credential of the database; whatever must be remembered goes through the parent.
 */
async function sync(plan: ChildPlan): Promise<StreamResult[]> {
  const folder = (name: string) => join(plan.workDir, name);
  for (const name of ['spool', 'duckdb']) await mkdir(folder(name), { recursive: true, mode: 0o700 });
  const runtime = processRuntime({
    connectors: plan.connectors,
    workspaceRoot: folder('workspaces'),
    mode: plan.mode,
    environment: plan.environment,
  });
  const { config, catalog, state, image, labels, limits } = plan;
  const inputs = { config, catalog, state };
  connector = await runtime.run({ image, role: 'source', labels, verb: 'read', inputs, limits });
  if (connector.pid !== undefined) send({ type: 'connector', name: connector.name, pid: connector.pid });
  const spool = createSpool({ dir: folder('spool'), sealAfterMs: plan.commitAfterMs });
  const counted = countingSpool(spool, plan);
  const stager = await createStager({ tempDirectory: folder('duckdb') });
  const streams = plan.streams.map((stream) => streamOfKey(stream.key));
  const report = setInterval(() => send({ type: 'progress', streams: counted.progress }), PROGRESS_EVERY_MS);
  try {
    const reading = readSync({ connector, streams, spool: counted.spool });
    const loading = loadSegments({
      runId: plan.runId,
      streams: plan.streams,
      segments: spool.segments(),
      stager,
      ask,
      reading,
    }).catch((error: unknown) => {
      // The reader is waiting for room in the spool: it must learn that nobody makes any.
      spool.close(error);
      throw error;
    });
    const [{ streams: readings }] = await Promise.all([reading, loading]);
    send({ type: 'progress', streams: counted.progress });
    return plan.streams.map(({ key, streamId }) => {
      const { records = 0, verdict } = readings.get(key) ?? {};
      const failed = verdict?.outcome === 'failure' ? { failure: verdictFailure(verdict) } : {};
      return { streamId, rows: records, ...failed };
    });
  } finally {
    clearInterval(report);
    stager.close();
  }
}

/** The spool, noting how much of each stream has arrived. */
function countingSpool(spool: Spool, plan: ChildPlan): { spool: Spool; progress: Record<string, Progress> } {
  const progress: Record<string, Progress> = {};
  const byKey = new Map(
    plan.streams.map(({ key, streamId }) => {
      const count = { rows: 0, bytes: 0 };
      progress[streamId] = count;
      return [key, count];
    }),
  );
  const write: Spool['write'] = (stream, lines, count) => {
    const seen = byKey.get(stream);
    if (seen !== undefined) {
      seen.rows += count;
      seen.bytes += lines.byteLength;
    }
    spool.write(stream, lines, count);
  };
  return { spool: { ...spool, write }, progress };
}

/** Goes on with the trace of the activity; nothing of it is loaded when there is none. */
async function openTrace(): Promise<Telemetry | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, WEIR_RELEASE_SHA: version = 'unreleased' } = process.env;
  if (endpoint === undefined) return undefined;
  const { startTelemetry } = await import('@weir/kernel');
  return startTelemetry({ endpoint, service: 'weir-sync', version });
}

function traced(plan: ChildPlan, telemetry: Telemetry | undefined): Promise<StreamResult[]> {
  const attributes = { run_id: plan.runId, source_id: plan.labels.source };
  const facts = { name: 'sync.child', parent: process.env.TRACEPARENT, attributes };
  return telemetry === undefined ? sync(plan) : telemetry.span(facts, () => sync(plan));
}

/** Tells the parent how it went, and ends once the message has left. */
async function carryOut(plan: ChildPlan): Promise<void> {
  let last: FromChild;
  let telemetry: Telemetry | undefined;
  try {
    telemetry = await openTrace();
    last = { type: 'done', streams: await traced(plan, telemetry) };
  } catch (error) {
    await connector?.stop();
    last = { type: 'failed', failure: failureOf(error), cause: error instanceof Error ? error.name : 'unknown' };
  }
  await telemetry?.stop();
  process.send?.(last, () => process.disconnect?.());
}

process.on('message', (message: FromParent) => {
  if (message.type === 'plan') void carryOut(message.plan);
  else if (message.type === 'answer') {
    waiting.get(message.id)?.();
    waiting.delete(message.id);
  } else void connector?.stop();
});
// Without its parent an attempt cannot commit: it ends at once, and the connector with it, whose stdin closes.
process.on('disconnect', () => process.exit(0));
