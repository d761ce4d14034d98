import { kernelProblems, type Problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { transformProblems } from '../../contract.ts';
import { SelectFailed, SqlRefused } from '../../model/select/select-errors.ts';

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

/** Runs work with statements; what they throw becomes problems. */
export async function asSelectProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw selectProblem(error);
  }
}

/** Names are left out: they are words of the statement. Line and column say where they are. */
function refusal(error: SqlRefused): Problem {
  const faults = error.faults.map(({ code, line, column }) => ({
    code,
    ...(line === undefined || column === undefined ? {} : { line, column }),
  }));
  const errors = faults.map(({ code }) => ({ pointer: '/sql', code }));
  return transformProblems.sqlRefused({ values: { count: faults.length }, errors, members: { faults }, cause: error });
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
