import type { Telemetry } from '@weir/kernel';
import type { RunningPlatform } from '@weir/kernel/boot';

/**
 * Variables with which a child process of an activity goes on with its trace: where the collector is, how to reach it,
 * and what the child is part of. Empty when nothing is traced.
 */
export function traceEnvironment(
  settings: Pick<RunningPlatform['settings'], 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'WEIR_RELEASE_SHA'>,
  telemetry: Pick<Telemetry, 'traceparent'>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, WEIR_RELEASE_SHA } = settings;
  const traceparent = telemetry.traceparent();
  if (endpoint === undefined || traceparent === undefined) return {};
  const exporter = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith('OTEL_') && !name.endsWith('_FILE') && value !== undefined ? [[name, value] as const] : [],
  );
  const own = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACEPARENT: traceparent, WEIR_RELEASE_SHA };
  return { ...Object.fromEntries(exporter), ...own };
}
