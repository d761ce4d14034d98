import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The five keys by which the specification filters logs; every line that knows one carries it under this name.
 */
const LOG_KEYS = ['workflow_id', 'orchestrator_run_id', 'transform_id', 'source_id', 'trace_id'] as const;
type LogKeys = Partial<Record<(typeof LOG_KEYS)[number], string>>;

/** Those of the five keys that an object, such as a route's parameters, holds as text. */
export function logKeys(known: unknown): LogKeys {
  const held = (known ?? {}) as Record<string, unknown>;
  return Object.fromEntries(LOG_KEYS.filter((key) => typeof held[key] === 'string').map((key) => [key, held[key]]));
}

/** A JSON logger; `time` is ISO 8601, errors carry type, message and stack, and credential-like keys are masked. */
export function createLog(options: {
  level: string;
  name: string;
  logKeys?: () => LogKeys;
  destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      ...(options.logKeys === undefined ? {} : { mixin: options.logKeys }),
      base: { name: options.name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: ['*.password', '*.authorization', '*.token', '*.credential_values'], censor: '[secret]' },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
