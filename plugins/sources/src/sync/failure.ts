import { CONNECTOR_ERRORS, MAX_HINT_CHARS, type Scrubber, type Verdict } from '@weir/connector-runtime';
import type { RunFailureRecord } from '@weir/kernel';
import { SOURCE_FAILURES, type SourceFailureCode } from '../contract/failures.ts';

/** A failure on its way to the record of a run. */
export interface Failure extends RunFailureRecord {
  /** The connector says that it broke by its own fault. */
  isOwnFault?: true;
  /** The run has no attempt left, though another run may do better. */
  isLast?: true;
}

/** A failure as it is kept: without what decides on tries. */
export type KeptFailure = RunFailureRecord & { [Name in Exclude<keyof Failure, keyof RunFailureRecord>]?: never };

/** An error that already says how the run fails. */
export class RunFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options: { cause?: unknown } = {}) {
    super(failure.code, options);
    this.name = 'RunFailed';
    this.failure = failure;
  }
}

/** What is kept of a failure: the one way from the other to that. */
export function recordOf({ isOwnFault: _fault, isLast: _last, ...record }: Failure): KeptFailure {
  return record;
}

/** A failure of this plugin's own table. */
export function sourceFailure(code: SourceFailureCode): RunFailureRecord {
  return { code, ...SOURCE_FAILURES[code] };
}

/** What a connector reported, in the words of a run: a code and a hint, never an input. */
export function verdictFailure(failure: Omit<Extract<Verdict, { outcome: 'failure' }>, 'outcome'>): Failure {
  const { code, origin, retryable, reported } = failure;
  const known = (CONNECTOR_ERRORS as Readonly<Record<string, { message: string; hint: string }>>)[code];
  const detail = known === undefined ? `The connector reported ${code}.` : `${known.message}.`;
  const hint = known?.hint ?? failure.hint;
  const own = reported === 'system_error' ? { isOwnFault: true as const } : {};
  return { code, origin, retryable, detail, ...(hint === undefined ? {} : { hint }), ...own };
}

/** A failure of a connector without the credentials of its source, which its own code and hint may hold. */
export function scrubbedFailure(failure: Failure, scrubber: Scrubber): Failure {
  if (scrubber.finds(failure.code)) return sourceFailure('connector_spoke_of_credential');
  const { hint, detail } = failure;
  return {
    ...failure,
    detail: scrubber.text(detail),
    ...(hint === undefined ? {} : { hint: scrubbedHint(hint, scrubber) }),
  };
}

/** What a credential may begin in at the end of a hint that was cut is left out. */
function scrubbedHint(hint: string, scrubber: Scrubber): string {
  return hint.length < MAX_HINT_CHARS ? scrubber.text(hint) : scrubber.pieces().push(hint);
}
