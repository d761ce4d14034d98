import { filledText, Problem } from '@weir/kernel/contract';
import { ChildFailed } from '@weir/processes';
import { failures, problemFailure, RunFailed } from '@weir/work';
import { SYNC_FAILURES, type SyncFailureCode } from '../../model/sync/failure-table.ts';

/** Problems that are the platform's, and pass. */
const PLATFORM_CODES: readonly string[] = [
  ...['dependency_unavailable', 'internal', 'lease_lost', 'shutting_down', 'conflict'],
  ...['store_unavailable', 'store_denied'],
];
/** Codes of the process of a mapping in the words of this plugin. */
const CHILD_CODES: Readonly<Record<string, SyncFailureCode>> = {
  out_of_memory: 'mapping_too_large',
  deadline: 'mapping_too_large',
  query_deadline: 'mapping_too_large',
  spill_full: 'mapping_too_large',
};

/** A run ends so: in the words of the table, with our own counts in their places. */
export function syncFailed(code: SyncFailureCode, values: Readonly<Record<string, string>> = {}): RunFailed {
  const failure = SYNC_FAILURES[code];
  return new RunFailed({ code, ...failure, detail: filledText(failure.detail, values) });
}

const isOwn = (code: string): code is SyncFailureCode => Object.hasOwn(SYNC_FAILURES, code);

/** The translation of errors into the failures of syncs. */
export const syncFailures = failures((error) => {
  if (error instanceof ChildFailed) {
    const { code } = error;
    return syncFailed(isOwn(code) ? code : (CHILD_CODES[code] ?? 'mapping_process_lost')).failure;
  }
  if (!(error instanceof Problem)) return undefined;
  return problemFailure(error, PLATFORM_CODES.includes(error.code) ? 'platform' : 'config');
});
