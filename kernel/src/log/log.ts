import { type DestinationStream, type Logger, pino } from 'pino';

/** The five keys by which the specification filters logs; every line that knows one carries it under this name. */
const LOG_KEYS = ['workflow_id', 'orchestrator_run_id', 'transform_id', 'source_id', 'trace_id'] as const;
type LogKeys = Partial<Record<(typeof LOG_KEYS)[number], string>>;

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** An id of ours, alone or as the id of a workflow; a caller may put anything else where an id belongs. */
const OWN_ID = new RegExp(`^${UUID}(?::[a-z_-]{1,40}:${UUID})?$`);

/** Those of the five keys for which an object, such as a route's parameters, holds an id, and another does not yet. */
export function logKeys(known: unknown, named: unknown = {}): LogKeys {
  const [held, before] = [known ?? {}, named ?? {}] as Record<string, unknown>[];
  const isId = (value: unknown) => typeof value === 'string' && OWN_ID.test(value);
  const fresh = LOG_KEYS.filter((key) => isId(held?.[key]) && !isId(before?.[key]));
  return Object.fromEntries(fresh.map((key) => [key, held?.[key]]));
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
