import { randomBytes } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import {
  type CollectorLog,
  readTraceparent,
  SPAN_ATTRIBUTES,
  type SpanAttributes,
  type SpanFacts,
  type Tracer,
} from './span.ts';

const SCOPE = 'weir';
/** Spans that wait for a collector that is slow or away; further ones are dropped. */
const MAX_WAITING_SPANS = 2_048;
const EXPORT_EVERY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** A process that ends does not wait longer for its collector. */
const STOP_TIMEOUT_MS = 3_000;
/** What OpenTelemetry calls `ExportResultCode.SUCCESS`. */
const EXPORTED = 0;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/**
 * Records spans and tells them to a collector over OTLP/HTTP. Only our own spans leave, with the attributes that are
 * allowed: no resource is detected, no library instrumented. `OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_HEADERS`
 * hold. It registers itself as the tracer of the process, so there is one.
 */
export function otlpTracer(
  { endpoint, service, version }: Record<'endpoint' | 'service' | 'version', string>,
  log: CollectorLog | undefined,
): Tracer {
  const url = new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
  let wanted: Pick<SpanFacts, 'traceId' | 'spanId'> = {};
  const sdk = new NodeSDK({
    autoDetectResources: false,
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    idGenerator: {
      generateTraceId: () => wanted.traceId ?? randomBytes(16).toString('hex'),
      generateSpanId: () => wanted.spanId ?? randomBytes(8).toString('hex'),
    },
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
    textMapPropagator: null,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(oursOnly(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS })), log),
        maxQueueSize: MAX_WAITING_SPANS,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  sdk.start();
  const tracer = trace.getTracer(SCOPE, version);
  return {
    start({ name, side = 'internal', parent, at, attributes, ...ids }) {
      wanted = ids;
      const facts = { kind: KINDS[side], attributes: allowed(attributes), ...(at && { startTime: at }) };
      const span = tracer.startSpan(name, facts, contextOf(parent));
      wanted = {};
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        end({ failed = false, attributes: more, at: end } = {}) {
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          if (span.isRecording()) span.setAttributes(allowed(more)).end(end);
        },
      };
    },
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref());
      await Promise.race([sdk.shutdown().catch(() => undefined), late]);
      trace.disable();
    },
  };
}

function contextOf(parent: string | undefined) {
  const found = readTraceparent(parent);
  if (found === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = found;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function allowed(attributes: SpanAttributes = {}): SpanAttributes {
  const named = SPAN_ATTRIBUTES.filter((name) => attributes[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, attributes[name]]));
}

/** Logs once when the collector stops taking spans, and once when it takes them again. */
function reporting(exporter: SpanExporter, log: CollectorLog | undefined): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const fails = result.code !== EXPORTED;
        if (fails && !isAway) log?.warn('the collector of traces does not take spans: they are dropped until it does');
        if (!fails && isAway) log?.info('the collector of traces takes spans again');
        isAway = fails;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** A library that records spans of its own does not get them out of the process. */
function oursOnly(exporter: SpanExporter): SpanExporter {
  const isOurs = ({ instrumentationScope: { name } }: ReadableSpan) => name === SCOPE;
  return { export: (spans, done) => exporter.export(spans.filter(isOurs), done), shutdown: () => exporter.shutdown() };
}
