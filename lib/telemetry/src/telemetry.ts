import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type CollectorLog,
  type OpenSpan,
  readTraceparent,
  type SpanAttributes,
  type SpanFacts,
  type Tracer,
} from './span.ts';

/** Which trace the code that runs belongs to, and the spans of it. */
export interface Telemetry {
  /** The `traceparent` of what is going on; undefined outside of every trace. */
  traceparent(): string | undefined;
  /** What log lines say of the trace. */
  logKeys(): { trace_id?: string };
  /** Begins a span whose end lies elsewhere. */
  open(facts: SpanFacts): OpenSpan;
  /** Runs something as part of what a `traceparent` names. */
  within<T>(traceparent: string | undefined, work: () => T): T;
  /** Carries out work as a span; a throw ends it as failed. */
  span<T>(facts: SpanFacts, work: (note: (more: SpanAttributes) => void) => Promise<T>): Promise<T>;
  /** Tells the collector what is left, bounded in time. */
  stop(): Promise<void>;
}

/** Traces of one process. Without a tracer no span is recorded, and traces are handed on all the same. */
export function createTelemetry(tracer: Tracer = { start: unrecorded, stop: async () => undefined }): Telemetry {
  const current = new AsyncLocalStorage<{ traceparent: string; logged: boolean }>();
  const enter = <T>(traceparent: string | undefined, logged: boolean | undefined, work: () => T): T => {
    const store = { traceparent, logged: logged ?? current.getStore()?.logged ?? false };
    return traceparent === undefined ? work() : current.run({ ...store, traceparent }, work);
  };
  const open: Telemetry['open'] = (facts) =>
    tracer.start({ ...facts, parent: facts.parent ?? current.getStore()?.traceparent });
  return {
    traceparent: () => current.getStore()?.traceparent,
    logKeys() {
      const { logged, traceparent } = current.getStore() ?? {};
      const context = logged ? readTraceparent(traceparent) : undefined;
      return context === undefined ? {} : { trace_id: context.traceId };
    },
    open,
    within: (traceparent, work) => enter(traceparent, undefined, work),
    async span(facts, work) {
      const span = open(facts);
      const attributes: SpanAttributes = {};
      try {
        const noting = () => work((more) => void Object.assign(attributes, more));
        const result = await enter(span.traceparent, facts.logged, noting);
        span.end({ attributes });
        return result;
      } catch (error) {
        span.end({ attributes, failed: true });
        throw error;
      }
    },
    stop: () => tracer.stop(),
  };
}

/** A trace goes on as it came, or begins unsampled, so that log lines of one trace still find each other. */
function unrecorded({ parent, traceId, spanId = randomBytes(8).toString('hex') }: SpanFacts): OpenSpan {
  const begun = traceId === undefined ? undefined : `00-${traceId}-${spanId}-00`;
  return { traceparent: readTraceparent(parent) === undefined ? begun : parent, end: () => undefined };
}

type Program = { endpoint: string | undefined; service: string; version: string; log?: CollectorLog };

/** Traces of one process, told to the collector at `endpoint`. Without one the exporter is not even loaded. */
export async function startTelemetry({ endpoint, log, ...program }: Program): Promise<Telemetry> {
  if (endpoint === undefined) return createTelemetry();
  const { otlpTracer } = await import('./otlp-tracer.ts');
  return createTelemetry(otlpTracer({ endpoint, ...program }, log));
}
