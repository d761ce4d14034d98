import { kernelProblems, type Problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { type CheckBody, transformProblems } from '../../contract.ts';
import { SelectFailed, type SqlFault, SqlRefused } from '../../model/select/select-errors.ts';

/** What a statement may need too much of, by the code of its failure. */
const BOUNDS: Readonly<Record<string, string>> = {
  query_deadline: 'time',
  out_of_memory: 'memory',
  spill_full: 'disk space',
  result_too_large: 'room in the answer',
};

/** What a client may see of a statement that is refused or fails; other errors pass through. */
export function selectProblem(error: unknown): unknown {
  if (error instanceof SqlRefused) return refusal(error);
  return error instanceof SelectFailed ? failure(error) : error;
}

/** Runs work with statements; what they throw becomes problems. Places are those of checks that are SQL. */
export async function asSelectProblems<T>(work: () => Promise<T>, checks: readonly CheckBody[] = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw selectProblem(error instanceof SqlRefused ? new SqlRefused(writtenFaults(error.faults, checks)) : error);
  }
}

/** Faults without places in statements that nobody wrote. */
export function writtenFaults(faults: readonly SqlFault[], checks: readonly CheckBody[]): SqlFault[] {
  const written = new Set(checks.filter(({ kind }) => kind === 'sql').map(({ name }) => name));
  return faults.map(({ line, column, ...fault }) => {
    const isPlaced = fault.check === undefined || written.has(fault.check);
    return isPlaced && line !== undefined && column !== undefined ? { ...fault, line, column } : fault;
  });
}

/** Names are left out: they are words of the statement. Line and column say where they are; `nearest` is a name of ours. */
function refusal(error: SqlRefused): Problem {
  const faults = error.faults.map(({ code, line, column, check, nearest }) => ({
    ...{ code, ...(check === undefined ? {} : { check }), ...(nearest === undefined ? {} : { nearest }) },
    ...(line === undefined || column === undefined ? {} : { line, column }),
  }));
  const isOfCheck = faults.some(({ check }) => check !== undefined);
  const errors = faults.map(({ code, check }) => ({ pointer: check === undefined ? '/sql' : '/checks', code }));
  const refused = isOfCheck ? transformProblems.checksRefused : transformProblems.sqlRefused;
  return refused({ values: { count: faults.length }, errors, members: { faults }, cause: error });
}

function failure(error: SelectFailed): Problem {
  const bound = BOUNDS[error.code];
  if (bound !== undefined) return transformProblems.sqlBoundMet({ values: { bound }, cause: error });
  switch (error.code) {
    case 'query_busy':
      return kernelProblems.dependencyUnavailable({ cause: error });
    case 'disk_full':
      return datasetProblems.storageFull({ cause: error });
    case 'store_unavailable':
      return datasetProblems.storeUnavailable({ cause: error });
    case 'store_denied':
      return datasetProblems.storeDenied({ cause: error });
    case 'file_missing':
    case 'parquet_invalid':
    case 'input_changed':
    case 'deletes_unsupported':
      return datasetProblems.datasetUnreadable({ cause: error });
    default:
      return transformProblems.sqlStopped({ cause: error });
  }
}
