import { CONNECTOR_ERRORS, MAX_HINT_CHARS, type Scrubber, type Verdict } from '@weir/connector-runtime';
import type { RunFailureRecord } from '@weir/kernel';
import type { Failure } from '@weir/work';
import { SOURCE_FAILURES, type SourceFailureCode } from '../contract/failures.ts';

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
