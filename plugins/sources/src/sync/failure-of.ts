import { ConnectorError, platformFailure } from '@weir/connector-runtime';
import type { RunFailureRecord } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import type { SourceFailureCode } from '../contract/failures.ts';
import { type Failure, RunFailed, sourceFailure, verdictFailure } from './failure.ts';

const TRANSIENT_STATUSES: readonly number[] = [409, 429, 500, 502, 503, 504, 507];
const PLATFORM_CODES: readonly string[] = [
  'dependency_unavailable',
  'internal',
  'lease_lost',
  'shutting_down',
  'conflict',
  'credentials_unreadable',
  'secret_store_unavailable',
];
/** What the table library calls its failures, where a run has a word of its own. */
const STAGE_CODES: Readonly<Record<string, SourceFailureCode>> = {
  malformed_lines: 'malformed_lines',
  out_of_memory: 'rows_too_large',
  disk_full: 'work_disk_full',
};

/** And where the tables have one. */
const TABLE_PROBLEMS: Readonly<Record<string, (typeof datasetProblems)['storeUnavailable']>> = {
  store_unavailable: datasetProblems.storeUnavailable,
  store_denied: datasetProblems.storeDenied,
};

/** Any error as the failure of a run. Unknown ones are retryable and say nothing of their text. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RunFailed) return error.failure;
  if (error instanceof Problem) return problemFailure(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  if ((error as Error | undefined)?.name === 'LakehouseError') {
    const known = typeof code === 'string' ? TABLE_PROBLEMS[code] : undefined;
    if (known !== undefined) return problemFailure(known());
    return sourceFailure((typeof code === 'string' && STAGE_CODES[code]) || 'staging_failed');
  }
  if (isFullDisk(error)) return sourceFailure('work_disk_full');
  if (error instanceof ConnectorError) {
    const failure = verdictFailure(platformFailure(error.code));
    const { reason } = error;
    return reason === undefined ? failure : { ...failure, hint: `What does not hold: ${reason}. ${failure.hint}` };
  }
  return sourceFailure('run_failed');
}

/** Whether a file could not be written for want of room, or of what the account may use. */
function isFullDisk(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isFullDisk(cause));
}

function problemFailure(problem: Problem): RunFailureRecord {
  const { code, hint } = problem.entry;
  const origin = PLATFORM_CODES.includes(code) ? 'platform' : 'destination';
  const retryable = code !== 'lease_lost' && TRANSIENT_STATUSES.includes(problem.status);
  return { code, origin, retryable, detail: problem.message, hint };
}
