import { Problem } from '@weir/kernel/contract';
import { type Failure, type FailureWords, failures, problemFailure } from '@weir/work';
import { SelectFailed, type SqlFault, SqlRefused } from './select/select-errors.ts';

/** Problems that are the platform's, and pass. */
const PLATFORM_CODES: readonly string[] = [
  ...['dependency_unavailable', 'internal', 'lease_lost', 'shutting_down', 'conflict', 'commit_conflict'],
  ...['store_unavailable', 'store_denied', 'base_moved'],
];
const FAULTS_SHOWN = 5;

/** The bounds of a statement, and what ended its process. */
const SELECT_WORDS: Readonly<Record<string, FailureWords>> = {
  query_deadline: {
    ...{ origin: 'data', retryable: false },
    detail: 'The statement took longer than a transform may, and was ended.',
    hint: 'Read less in one statement, or raise WEIR_TRANSFORM_DEADLINE_SECONDS.',
  },
  out_of_memory: {
    ...{ origin: 'data', retryable: false },
    detail: 'The statement needed more memory than a transform may have, and was ended.',
    hint: 'Join or group fewer rows in one statement, or raise WEIR_TRANSFORM_MEMORY_MIB.',
  },
  spill_full: {
    ...{ origin: 'data', retryable: false },
    detail: 'The statement spilled more to disk than a transform may, and was ended.',
    hint: 'Sort or join fewer rows in one statement.',
  },
  select_process_lost: {
    ...{ origin: 'platform', retryable: true },
    detail: 'The process of the statement ended before its work did.',
    hint: 'The log of the worker says why; a machine short of memory ends processes.',
  },
  input_changed: {
    ...{ origin: 'platform', retryable: true },
    detail: 'A file of an input changed while it was read.',
    hint: 'Table files are never changed: look for what else writes into the warehouse.',
  },
  query_failed: {
    ...{ origin: 'data', retryable: false },
    detail: 'The statement failed on the rows that it read, such as by a cast of a value that does not fit.',
    hint: 'Preview the transform, and look for casts, divisions and functions that fail on a row.',
  },
};
const OTHER_SELECT: FailureWords = {
  ...{ origin: 'platform', retryable: true },
  detail: 'The files of the statement could not be read or written.',
  hint: 'The log of the worker names the cause under the run id.',
};

/** The translation of errors into the failures of runs of transforms. */
export const transformFailures = failures(readError);

function readError(error: unknown): Failure | undefined {
  if (error instanceof SqlRefused) return refused(error);
  if (error instanceof SelectFailed) {
    const words = SELECT_WORDS[error.code];
    return words === undefined ? { code: 'statement_failed', ...OTHER_SELECT } : { code: error.code, ...words };
  }
  if (!(error instanceof Problem)) return undefined;
  return problemFailure(error, PLATFORM_CODES.includes(error.code) ? 'platform' : 'data');
}

function refused({ faults }: SqlRefused): Failure {
  const shown = faults.slice(0, FAULTS_SHOWN).map(placed).join(', ');
  const detail = `The statement cannot run: ${shown}.`;
  const hint = 'A table that it reads has changed, or its rules: hydrate the transform, which says what is wrong.';
  return { code: 'sql_refused', origin: 'config', retryable: false, detail, hint };
}

/** The code of a fault and its place; never a word of the statement. */
function placed({ code, line, column }: SqlFault): string {
  return line === undefined ? code : `${code} at ${line}:${column ?? 1}`;
}
