import { ConnectorError, platformFailure } from '@weir/connector-runtime';
import { Problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { type Failure, failures, isDiskFull, problemFailure } from '@weir/work';
import { SOURCE_FAILURES, type SourceFailureCode } from '../../contract/failures.ts';
import { sourceFailure, verdictFailure } from './failure.ts';

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

/** The translation of errors into the failures of this plugin's runs. */
export const sourceFailures = failures(readError, SOURCE_FAILURES);
export const failureOf = sourceFailures.of;

function readError(error: unknown): Failure | undefined {
  if (error instanceof Problem) return sourceProblemFailure(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  if ((error as Error | undefined)?.name === 'LakehouseError') {
    const known = typeof code === 'string' ? TABLE_PROBLEMS[code] : undefined;
    if (known !== undefined) return sourceProblemFailure(known());
    return sourceFailure((typeof code === 'string' && STAGE_CODES[code]) || 'staging_failed');
  }
  if (!(error instanceof ConnectorError) || isDiskFull(error)) return undefined;
  const failure = verdictFailure(platformFailure(error.code));
  const { reason } = error;
  return reason === undefined ? failure : { ...failure, hint: `What does not hold: ${reason}. ${failure.hint}` };
}

function sourceProblemFailure(problem: Problem): Failure {
  const origin = PLATFORM_CODES.includes(problem.entry.code) ? 'platform' : 'destination';
  return problemFailure(problem, origin);
}
