import { kernelProblems, type Problem } from '@weir/kernel/contract';
import { LakehouseError } from '@weir/lakehouse';
import { datasetProblems } from '../contract.ts';

/** What a client may see of a failure of the table library; other errors pass through unchanged. */
export function lakehouseProblem(error: unknown): unknown {
  return error instanceof LakehouseError ? problemOf(error) : error;
}

function problemOf(error: LakehouseError): Problem {
  const named = { values: { count: error.columns.length }, members: { columns: error.columns }, cause: error };
  switch (error.code) {
    case 'snapshot_missing':
      return kernelProblems.notFound({ cause: error });
    case 'query_deadline':
    case 'out_of_memory':
      return datasetProblems.queryTimeout({ cause: error });
    case 'query_busy':
      return kernelProblems.dependencyUnavailable({ cause: error });
    case 'result_too_large':
      return datasetProblems.previewTooLarge({ cause: error });
    case 'query_too_large':
      return datasetProblems.queryTooLarge({ cause: error });
    case 'position_missing':
      return kernelProblems.invalidPageToken({ cause: error });
    case 'base_moved':
      return datasetProblems.baseMoved({ cause: error });
    case 'rewrite_changed_rows':
      return datasetProblems.rewriteChangedRows({ cause: error });
    case 'schema_conflict':
      return datasetProblems.commitConflict({ values: { attempts: 1 }, cause: error });
    case 'disk_full':
      return datasetProblems.storageFull({ cause: error });
    case 'store_unavailable':
      return datasetProblems.storeUnavailable({ cause: error });
    case 'store_denied':
      return datasetProblems.storeDenied({ cause: error });
    case 'schema_incompatible':
      return datasetProblems.schemaIncompatible(named);
    case 'table_outside_tenant':
      return datasetProblems.datasetNotReadable({ cause: error });
    case 'file_outside_table':
      return datasetProblems.fileOutsideTable({ cause: error });
    case 'column_duplicate':
    case 'column_reserved':
      return datasetProblems.columnsRefused(named);
    default:
      return datasetProblems.datasetUnreadable({ cause: error });
  }
}

/** Runs work over tables; failures of the table library become problems. */
export async function asProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw lakehouseProblem(error);
  }
}
