import { platformFailure } from '@weir/connector-runtime';
import type { StreamFailure } from '@weir/engine';
import type { RunFailureRecord } from '@weir/kernel';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import type { Failure } from '@weir/work';
import { sourceFailure, verdictFailure } from '../../model/failure/failure.ts';
import type { Sync } from '../../model/process/sync-types.ts';

/** Fields that a failure names; more are counted. */
const MAX_NAMED_FIELDS = 20;

/** Why a stream failed, in the words of a run. */
export function streamFailure(failure: StreamFailure<Sync>): Failure {
  if ('reported' in failure) return failure.reported;
  switch (failure.rule) {
    case 'schema_frozen':
      return frozen(failure.columns.map(({ name }) => name));
    case 'too_many_rejects': {
      const known = sourceFailure('too_many_rejects');
      return { ...known, detail: `More than ${failure.limit} lines of the stream are no rows of its table.` };
    }
    case 'rows_uncovered':
      return sourceFailure('rows_uncovered');
    case 'table_contended':
      return sourceFailure('table_contended');
    case 'state_held':
      return verdictFailure(platformFailure('other_stream_failed'));
  }
}

function frozen(names: readonly string[]): RunFailureRecord {
  const { code, hint } = datasetProblems.schemaFrozen.entry;
  const named = names.slice(0, MAX_NAMED_FIELDS).join(', ');
  const more = names.length > MAX_NAMED_FIELDS ? ` and ${names.length - MAX_NAMED_FIELDS} more` : '';
  const detail = `The schema of the stream is frozen, and rows have fields that no column holds: ${named}${more}.`;
  return { code, origin: 'source', retryable: false, detail, hint };
}
