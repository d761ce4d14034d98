import {
  CODE_PATTERN,
  type FailureOrigin,
  type FailureType,
  type StreamStatus,
  type TraceError,
} from '@weir/connector-sdk';
import { CONNECTOR_ERRORS, type ConnectorErrorCode } from './connector-error.ts';
import type { ConnectorExit } from './connector-runtime.ts';
import { boundReached } from './last-words.ts';

/** Why something failed, in words that may be shown and stored: a stable code, never an input value. */
export type Failure = {
  readonly code: string;
  readonly origin: FailureOrigin;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** What the connector says of a code of its own; absent when it is too long to be shown. */
  readonly message?: string;
  /** What the connector itself says that it is; what was seen from outside has none. */
  readonly reported?: FailureType;
  /** When the source takes work again, as the connector says it; RFC 3339. */
  readonly retryAt?: string;
  /** What a fault looks like that comes again as it is: the connector's own words, unmasked, or none. */
  readonly evidence?: string;
  /** What a connector of others says to people of it, unmasked and of any length. */
  readonly said?: string;
};

export type Verdict = { readonly outcome: 'success' } | ({ readonly outcome: 'failure' } & Failure);

/** What was seen of the run as a whole. */
export type RunEvidence = {
  readonly exit: ConnectorExit;
  /** The output ended inside a message. */
  readonly truncated: boolean;
  /** What made us stop reading, if anything did. */
  readonly broken: ConnectorErrorCode | undefined;
  /** The first error that any stream or the run itself reported. */
  readonly error: TraceError | undefined;
  /** The end of what it wrote to stderr, and to stdout beside its messages. */
  readonly words: string;
};

/** What was seen of one stream. `error` is its own, or one that names no stream. */
export type StreamEvidence = {
  readonly status: StreamStatus | undefined;
  readonly countsAgree: boolean;
  readonly error: TraceError | undefined;
  /** What made us stop taking its records, if anything did. */
  readonly broken: ConnectorErrorCode | undefined;
};

/** The longest hint that is passed on; one of this length was cut, maybe in the middle of a word. */
export const MAX_HINT_CHARS = 500;
const FAILURE_CODES = {
  config_error: 'connector_config_error',
  transient_error: 'connector_transient_error',
  system_error: 'connector_system_error',
} as const;
const LAST_SIGNAL = 64;
/** The end of a connector's last words in which their last line is looked for. */
const MAX_LINE_CHARS = 4_096;
const ORIGINS: readonly string[] = ['source', 'config', 'platform'];

/**
 * The verdict on one stream. Success takes all of: COMPLETE, exit 0, no signal, a whole output, and counts that
 * agree; each of them alone is known to lie. The failure that explains most comes first.
 */
export function verdictOf(stream: StreamEvidence, run: RunEvidence): Verdict {
  const { broken, error } = stream;
  const failure = broken === undefined ? (runFailure(run, error) ?? streamFailure(stream)) : platformFailure(broken);
  return failure === undefined ? { outcome: 'success' } : { outcome: 'failure', ...failure };
}

/** The failure of a run as such, `own` being the error that concerns the asker; undefined when it ended well. */
export function runFailure(run: RunEvidence, own: TraceError | undefined): Failure | undefined {
  const { exit } = run;
  if (run.broken !== undefined) return platformFailure(run.broken);
  if (exit.oomKilled) return platformFailure('connector_out_of_memory');
  if (exit.failure !== undefined) return platformFailure(exit.failure);
  if (exit.stopped) return platformFailure('connector_stopped');
  if (own !== undefined && isOurs(own)) return traceFailure(own);
  const bound = boundReached({ ...run, code: exit.code });
  if (bound !== undefined) return platformFailure(bound);
  if (own !== undefined) return traceFailure(own);
  if (exit.signal !== undefined || exit.code === undefined || isSignal(exit.code)) {
    return { ...platformFailure('connector_crashed'), ...lastLine(run.words) };
  }
  if (exit.code === 2) return { ...platformFailure('connector_usage'), ...lastLine(run.words) };
  if (exit.code !== 0 && run.error !== undefined) {
    return { ...platformFailure('other_stream_failed'), retryable: traceFailure(run.error).retryable };
  }
  if (exit.code !== 0) return { ...platformFailure('connector_failed'), evidence: run.words, ...lastLine(run.words) };
  if (run.truncated) return { ...platformFailure('output_truncated'), evidence: run.words };
  return undefined;
}

/** The last line that is not blank: run times end with what went wrong. */
function lastLine(words: string): Pick<Failure, 'said'> {
  const line = /([^\n]*\S[^\n]*)\s*$/.exec(words.slice(-MAX_LINE_CHARS))?.[1];
  return line === undefined ? {} : { said: line };
}

/** In a container the end by a signal is a code: 128 and the signal's number. */
function isSignal(code: number): boolean {
  return code > 128 && code <= 128 + LAST_SIGNAL;
}

function streamFailure(stream: StreamEvidence): Failure | undefined {
  if (stream.status === 'INCOMPLETE') return platformFailure('stream_incomplete');
  if (stream.status !== 'COMPLETE') return { ...platformFailure('stream_status_missing'), evidence: '' };
  if (!stream.countsAgree) return { ...platformFailure('record_count_mismatch'), evidence: '' };
  return undefined;
}

/** What a TRACE error means: the code and hint of our own connectors pass, everything else is mapped by its type. */
export function traceFailure(error: TraceError): Failure {
  // What a connector says may be any text.
  const { failure_type: said = '' } = error;
  const type = Object.hasOwn(FAILURE_CODES, said) ? (said as keyof typeof FAILURE_CODES) : 'system_error';
  const mapped = CONNECTOR_ERRORS[FAILURE_CODES[type]];
  const code = isOurs(error) ? error.internal_message : undefined;
  const ours = code !== undefined;
  const origin = ours && ORIGINS.includes(error.origin ?? '') ? (error.origin as FailureOrigin) : mapped.origin;
  return {
    code: ours ? code : FAILURE_CODES[type],
    origin,
    retryable: mapped.retryable,
    hint: ours ? error.hint?.slice(0, MAX_HINT_CHARS) : mapped.hint,
    reported: type,
    ...(ours && isShort(error.message) ? { message: error.message } : {}),
    ...(!ours && isText(error.message) ? { said: error.message } : {}),
    ...(type === 'system_error' ? { evidence: wordsOf(error) } : {}),
    ...(isTime(error.retry_at) ? { retryAt: error.retry_at } : {}),
  };
}

const isText = (text: unknown): text is string => typeof text === 'string' && text.trim() !== '';
const isShort = (text: unknown): text is string => isText(text) && text.length < MAX_HINT_CHARS;

const wordsOf = (error: TraceError) => JSON.stringify([error.message, error.internal_message, error.stack_trace]);

/** What a connector says may be of any shape. */
function isTime(text: unknown): text is string {
  const isWritten = typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text);
  return isWritten && !Number.isNaN(Date.parse(text));
}

/** Whether an error carries a code, as those of our own connectors do; a word of the platform's own is none of theirs. */
function isOurs({ internal_message: code }: TraceError): boolean {
  return code !== undefined && CODE_PATTERN.test(code) && !Object.hasOwn(CONNECTOR_ERRORS, code);
}

/** A failure of our own table. */
export function platformFailure(code: ConnectorErrorCode): Failure {
  const { origin, retryable, hint } = CONNECTOR_ERRORS[code];
  return { code, origin, retryable, hint };
}
