import type { FailureEntry } from '@weir/work';

/** The failure codes of this plugin's runs, and its words for those of any run. `{name}` places are filled by the run. */
export const TRANSFORM_FAILURES = {
  check_failed: {
    ...{ origin: 'data', retryable: false },
    detail: 'Checks keep the result from being published: {checks}. The table is as before.',
    hint: 'Look at the rows that break them, and correct the inputs, the statement or the check.',
    next: [
      {
        operation: 'transforms.read_run_checks',
        params: { run_id: '{run_id}' },
        text: 'Show the rows that break the checks',
      },
    ],
  },
  key_missing: {
    ...{ origin: 'data', retryable: false },
    detail: '{rows:row} of the result cannot be found again: a column of `key` has no value. The table is as before.',
    hint: 'Leave these rows out in the statement, or give the column a value with coalesce.',
  },
  key_doubled: {
    ...{ origin: 'data', retryable: false },
    detail: 'The result has several rows for {keys:key}. The table is as before.',
    hint: 'Keep one row of each key, such as by QUALIFY row_number() OVER (PARTITION BY key ORDER BY …) = 1.',
  },
  partitions_differ: {
    ...{ origin: 'config', retryable: false },
    detail: 'The output is a table that is divided by other columns than `partition_by` names.',
    hint: 'A full run divides the table anew and replaces all of its rows. Start one, write to another table in `output`, or name the columns that divide this one.',
  },
  query_deadline: {
    ...{ origin: 'data', retryable: false },
    detail:
      'The statement took longer than the {deadline_seconds} seconds that WEIR_TRANSFORM_DEADLINE_SECONDS gives it, and was ended.',
    hint: 'Read less in one statement, or raise WEIR_TRANSFORM_DEADLINE_SECONDS.',
  },
  out_of_memory: {
    ...{ origin: 'data', retryable: false },
    detail:
      'The statement needed more memory than the {memory_mib} MiB that WEIR_TRANSFORM_MEMORY_MIB gives it, and was ended.',
    hint: 'Join or group fewer rows in one statement, or raise WEIR_TRANSFORM_MEMORY_MIB.',
  },
  spill_full: {
    ...{ origin: 'data', retryable: false },
    detail:
      'The statement spilled more to disk than {spill_mib} MiB, eight times what WEIR_TRANSFORM_MEMORY_MIB gives it, and was ended.',
    hint: 'Sort or join fewer rows in one statement, or raise WEIR_TRANSFORM_MEMORY_MIB.',
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
  statement_failed: {
    ...{ origin: 'platform', retryable: true },
    detail: 'The files of the statement could not be read or written.',
    hint: 'The log of the worker names the cause under the run id.',
  },
  upstream_failed: {
    ...{ origin: 'data', retryable: false },
    detail: 'Another step of the run failed before this one began. The table is as before.',
    hint: 'Look at the step that failed, correct it, and run them again.',
  },
  not_published: {
    ...{ origin: 'data', retryable: false },
    detail: 'Another step of the run failed, and all of its tables are published together. The table is as before.',
    hint: 'Look at the step that failed, correct it, and run them again.',
  },
  no_lane: {
    ...{ origin: 'platform', retryable: true },
    detail: 'Other transforms of the tenant kept every lane for more than a day.',
    hint: 'Start it again, or raise WEIR_TRANSFORM_LANES_PER_TENANT.',
  },
} as const satisfies Record<string, FailureEntry & { retryable: boolean }>;
export type TransformFailureCode = keyof typeof TRANSFORM_FAILURES;
