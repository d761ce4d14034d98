import { problem } from '@weir/kernel/contract';

/** Error codes of the datasets plugin. */
export const datasetProblems = {
  invalidDatasetId: problem({
    code: 'invalid_dataset_id',
    status: 400,
    title: 'Invalid dataset id',
    detail: 'A dataset id is three segments joined by dots, each of one or more of the characters A-Z a-z 0-9 _.',
    hint: 'Write it as <layer>.<scope>.<table>, such as bronze.demo.flights; datasets list prints the ids.',
  }),
  datasetNotReadable: problem({
    code: 'dataset_not_readable',
    status: 403,
    title: 'Dataset not readable',
    detail: 'No source, transform or pipeline of this tenant produces this dataset.',
    hint: 'List the datasets of the tenant; a table can be read once something of the tenant writes it.',
  }),
  destinationNotAllowed: problem({
    code: 'destination_not_allowed',
    status: 403,
    title: 'Destination not allowed',
    detail: 'The destination table lies outside what this tenant may write.',
    hint: 'Choose a table in a namespace of the tenant.',
  }),
  commitConflict: problem({
    code: 'commit_conflict',
    status: 409,
    title: 'Commit conflict',
    detail: 'Other writers changed the table {attempts} times in a row while this commit was made.',
    hint: 'Try again when fewer writers work on the same table; nothing of this commit was written.',
  }),
  schemaIncompatible: problem({
    code: 'schema_incompatible',
    status: 422,
    title: 'Schema incompatible',
    detail:
      'The table cannot take the new schema: {count} column(s) changed to a type that does not hold the old values.',
    hint: 'Write to another destination table, or bring the columns back to their old types.',
  }),
  stagedFileRefused: problem({
    code: 'staged_file_refused',
    status: 422,
    title: 'Staged file refused',
    detail: 'A staged file is not described as the table needs it, or lies outside the table.',
    hint: 'Stage files below the data location that prepare returned, with the stager of this release.',
  }),
  datasetUnreadable: problem({
    code: 'dataset_unreadable',
    status: 502,
    title: 'Dataset cannot be read',
    detail: 'The catalog knows the dataset, but its files are missing, cut short or not in the expected format.',
    hint: 'Check that the warehouse is complete and reachable; an earlier snapshot may still be readable.',
  }),
  queryTimeout: problem({
    code: 'query_timeout',
    status: 504,
    title: 'Query timed out',
    detail: 'Reading the dataset took longer than the deadline or more memory than the limit, and was stopped.',
    hint: 'Ask for fewer rows or columns, or leave the order or the filter out.',
  }),
  commitIdReused: problem({
    code: 'commit_id_reused',
    status: 409,
    title: 'Commit id reused',
    detail: 'This batch of the run was committed before with other files.',
    hint: 'Read the checkpoint again and go on with the batch after it.',
  }),
  columnsRefused: problem({
    code: 'columns_refused',
    status: 422,
    title: 'Columns refused',
    detail: '{count} column name(s) differ from another one in case only, or are kept for the platform.',
    hint: 'Rename the columns at the source; _extracted_at, _run_id, _errors and _extra are kept for the platform.',
  }),
  previewTooLarge: problem({
    code: 'preview_too_large',
    status: 422,
    title: 'Preview too large',
    detail: 'The rows that were asked for are too large to be shown.',
    hint: 'Ask for fewer rows or columns.',
  }),
  queryTooLarge: problem({
    code: 'query_too_large',
    status: 422,
    title: 'Query too large',
    detail:
      'To answer in this order, or with this filter, more of the dataset would have to be read than a preview may.',
    hint: 'Leave the order out, or filter by a column along which the rows were loaded, such as _extracted_at.',
  }),
  storageFull: problem({
    code: 'storage_full',
    status: 507,
    title: 'Storage full',
    detail: 'The warehouse has no space left; nothing of this commit was written.',
    hint: 'Free space in the warehouse, then try again.',
  }),
};
