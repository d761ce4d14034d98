import type { FailureEntry } from '@weir/work';

/** The failure codes of syncs. `{name}` places are filled by the run. */
export const SYNC_FAILURES = {
  null_keys: {
    origin: 'data',
    retryable: false,
    detail: '{rows:row} of the table cannot become an entity: a column of the key has no value. Nothing was sent.',
    hint: 'Give the columns a value, leave these rows out with `row_filter`, or set `null_keys` to skip.',
  },
  duplicate_keys: {
    origin: 'data',
    retryable: false,
    detail: '{keys:key} found in several rows of the table. Nothing was sent.',
    hint: 'Keep one row of each key in the table, or set `duplicate_keys` to the column by which the last one wins.',
  },
  rows_rejected: {
    origin: 'data',
    retryable: false,
    detail:
      '{rows:row} were rejected, and `max_rejected_rows` allows {allowed}. Other rows were sent; the applied snapshot is as before.',
    hint: 'Read the log of the run, which counts the reasons. Correct the rows or the mapping, or raise `max_rejected_rows`.',
  },
  chunk_changed: {
    origin: 'platform',
    retryable: false,
    detail: 'The rows of the pinned snapshot were not the same when they were read again.',
    hint: 'Start it again: the next run compares every row with what is stored.',
  },
  service_refused: {
    origin: 'platform',
    retryable: false,
    detail: 'The ontology service refused the entity type or a chunk of entities.',
    hint: 'Read the log of the ontology service, which knows why.',
  },
  merge_unsupported: {
    origin: 'config',
    retryable: false,
    detail: 'Entities are kept by an ontology service, which cannot merge properties of several backing datasets.',
    hint: 'Set `merge_mode` to replace.',
  },
  mapping_refused: {
    origin: 'config',
    retryable: false,
    detail: 'An expression of the mapping or `row_filter` is not one that reads the columns of one row.',
    hint: 'Read the health of the backing dataset, and correct the expression.',
  },
  mapping_volatile: {
    origin: 'config',
    retryable: false,
    detail: 'An expression of the mapping depends on a clock or on chance, so that it gives another value each time.',
    hint: 'Replace the function, such as now() or random(), by a column of the table.',
  },
  mapping_failed: {
    origin: 'data',
    retryable: false,
    detail:
      'The mapping failed on the rows of the table, such as by a column that is missing or a cast that does not fit.',
    hint: 'Read the health of the backing dataset, and look for casts, divisions and functions that fail on a row.',
  },
  mapping_too_large: {
    origin: 'platform',
    retryable: false,
    detail: 'The mapping needed more memory, disk or time than one table may take.',
    hint: 'Sync a table with fewer rows or columns, such as one that a transform writes.',
  },
  mapping_process_lost: {
    origin: 'platform',
    retryable: true,
    detail: 'The process of the mapping ended before its work did.',
    hint: 'Read the log of the worker; a machine short of memory ends processes.',
  },
  type_version_missing: {
    origin: 'config',
    retryable: false,
    detail: 'The entity type does not have the version that the backing dataset names.',
    hint: 'Name a version of the entity type that is there.',
  },
} as const satisfies Record<string, FailureEntry & { retryable: boolean }>;
export type SyncFailureCode = keyof typeof SYNC_FAILURES;
