import { KIT_FAULTS } from './kit-faults.ts';
import {
  CODE_PATTERN,
  type ConnectionStatus,
  type FailureOrigin,
  type FailureType,
  type TraceError,
} from './protocol.ts';

export type SourceErrorOptions = {
  /** config_error: only a human helps; transient_error: it may pass; system_error: the connector broke. */
  readonly type: FailureType;
  /** One sentence without any input value. */
  readonly message: string;
  /** What to do about it, without any input value. */
  readonly hint?: string;
  /** Who must act, when it is not what the type says. */
  readonly origin?: FailureOrigin;
  /** When the source takes work again, where it says so: a run that would wait for that long ends with this time instead. */
  readonly retryAt?: Date;
  readonly cause?: unknown;
};

/** A failure that a source knows by name. Its message and hint leave the connector, so they hold no input value. */
export class SourceError extends Error {
  readonly code: string;
  readonly type: FailureType;
  readonly hint: string | undefined;
  readonly origin: FailureOrigin | undefined;
  readonly retryAt: Date | undefined;

  constructor(code: string, { type, message, hint, origin, retryAt, cause }: SourceErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    if (!CODE_PATTERN.test(code)) throw new RangeError('an error code is lower snake case of 3 to 64 letters');
    this.name = 'SourceError';
    this.code = code;
    this.type = type;
    this.hint = hint;
    this.origin = origin;
    this.retryAt = retryAt;
  }
}

/** The SourceError that stands for anything thrown; an unknown error keeps its message to itself. */
export function toSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  return new SourceError('connector_internal_error', { ...KIT_FAULTS.connector_internal_error, cause: error });
}

/** The answer of a `check` that ended with this error. */
export function failedCheck(error: unknown): ConnectionStatus {
  const known = toSourceError(error);
  const { message, code, type: failure_type } = known;
  return { status: 'FAILED', message, code, failure_type, ...besideMessage(known) };
}

/** What is ours in the report of an error, as far as the error has it. */
export function besideMessage({
  hint,
  origin,
  retryAt,
}: SourceError): Pick<TraceError, 'hint' | 'origin' | 'retry_at'> {
  return {
    ...(hint === undefined ? {} : { hint }),
    ...(origin === undefined ? {} : { origin }),
    ...(retryAt === undefined ? {} : { retry_at: retryAt.toISOString() }),
  };
}
