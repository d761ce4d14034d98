export { type OpenSpan, readTraceparent, type SpanAttributes, type SpanFacts } from './span.ts';
export { createTelemetry, startTelemetry, type Telemetry } from './telemetry.ts';
