/** All that a span may tell beside its name; nothing that a caller has sent, and no tenant. */
export const SPAN_ATTRIBUTES = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'kind',
  'run_id',
  'source_id',
  'attempt',
  'outcome',
  // Semantic conventions of OpenTelemetry for generative AI.
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
] as const;
export type SpanAttributes = { [N in (typeof SPAN_ATTRIBUTES)[number]]?: string | number | undefined };

/** What is known of a span when it begins. */
export interface SpanFacts {
  /** One of few: an operation id, or what is done to which type. */
  name: string;
  side?: 'server' | 'client' | 'internal';
  /** The `traceparent` that it continues; that of what is going on unless given. */
  parent?: string | undefined;
  /** The trace to begin when there is none to continue. */
  traceId?: string;
  /** Its own id, when several processes must agree on it. */
  spanId?: string;
  at?: Date;
  attributes?: SpanAttributes;
  /** Log lines written within carry the trace id. */
  logged?: boolean;
}

/** A span that has begun. */
export interface OpenSpan {
  /** For whoever continues it; undefined outside of every trace. */
  traceparent: string | undefined;
  end(how?: { failed?: boolean; attributes?: SpanAttributes; at?: Date }): void;
}

/** What tells a collector. */
export interface Tracer {
  start(facts: SpanFacts): OpenSpan;
  stop(): Promise<void>;
}

/** Where something stands in a trace, from a `traceparent` of W3C Trace Context; undefined for anything else. */
export function readTraceparent(text: unknown): { traceId: string; spanId: string; flags: number } | undefined {
  const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
  const [, traceId, spanId, flags] = (typeof text === 'string' ? form.exec(text) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Where it is said that the collector is away, and that it is back. */
export interface CollectorLog {
  warn(message: string): void;
  info(message: string): void;
}
