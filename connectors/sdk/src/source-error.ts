import { KIT_FAULTS } from './kit-faults.ts';
import { CODE_PATTERN, type ConnectionStatus, type FailureOrigin, type FailureType } from './protocol.ts';

export type SourceErrorOptions = {
  /** config_error: only a human helps; transient_error: it may pass; system_error: the connector broke. */
  readonly type: FailureType;
  /** One sentence without any input value. */
  readonly message: string;
  /** What to do about it, without any input value. */
  readonly hint?: string;
  /** Who must act, when it is not what the type says. */
  readonly origin?: FailureOrigin;
  readonly cause?: unknown;
};

/** A failure that a source knows by name. Its message and hint leave the connector, so they hold no input value. */
export class SourceError extends Error {
  readonly code: string;
  readonly type: FailureType;
  readonly hint: string | undefined;
  readonly origin: FailureOrigin | undefined;

  constructor(code: string, { type, message, hint, origin, cause }: SourceErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    if (!CODE_PATTERN.test(code)) throw new RangeError('an error code is lower snake case of 3 to 64 letters');
    this.name = 'SourceError';
    this.code = code;
    this.type = type;
    this.hint = hint;
    this.origin = origin;
  }
}

/** The SourceError that stands for anything thrown; an unknown error keeps its message to itself. */
export function toSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  return new SourceError('connector_internal_error', { ...KIT_FAULTS.connector_internal_error, cause: error });
}

/** The answer of a `check` that ended with this error. */
export function failedCheck(error: unknown): ConnectionStatus {
  const { message, code, hint, type: failure_type, origin } = toSourceError(error);
  const given = { ...(hint === undefined ? {} : { hint }), ...(origin === undefined ? {} : { origin }) };
  return { status: 'FAILED', message, code, failure_type, ...given };
}
