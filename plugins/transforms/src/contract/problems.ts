import { problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';

/** Codes of transforms. */
export const transformProblems = {
  transformNameTaken: problem({
    code: 'transform_name_taken',
    status: 409,
    title: 'The name is taken',
    detail: 'Another transform of the tenant has this name.',
    hint: 'Choose another name, or change the transform that has it.',
  }),
  outputTaken: problem({
    code: 'output_taken',
    status: 409,
    title: 'The output is taken',
    detail: 'Another producer of the tenant writes this table.',
    hint: 'Choose another table in `output`.',
  }),
  outputIsInput: problem({
    code: 'output_is_input',
    status: 422,
    title: 'The output is an input',
    detail: 'The statement reads the table that the transform writes.',
    hint: 'Write to another table in `output`, or leave the table out of the statement.',
  }),
  inputMissing: problem({
    code: 'input_missing',
    status: 409,
    title: 'An input is missing',
    detail: 'The statement reads {count} table(s) that are not there yet: dataset_ids names them.',
    hint: 'Load or make the tables first, or correct their names in `sql`.',
  }),
  transformNotReady: problem({
    code: 'transform_not_ready',
    status: 409,
    title: 'The transform is not ready',
    detail: 'A check of the transform keeps it from running: check names it.',
    hint: 'GET /transforms/{transform_id}/detail lists the checks, each with what to do.',
  }),
  transformNotInForce: problem({
    code: 'transform_not_in_force',
    status: 409,
    title: 'No version is in force',
    detail: 'The transform was never hydrated: its draft is all that there is of it.',
    hint: 'Hydrate the transform to put the draft in force, change it with PATCH, or delete the transform.',
  }),
  outputRefused: problem({
    code: 'output_refused',
    status: 422,
    title: 'The output is refused',
    detail: 'A transform writes a table of the layer silver or gold in the scope of its tenant.',
    hint: 'Set `output` to <layer>.<scope>.<table> with the scope of your tenant, which GET /tenants shows.',
  }),
  materializationRefused: problem({
    code: 'materialization_refused',
    status: 422,
    title: 'The materialization is refused',
    detail: 'The members of the definition that `errors` names do not go with its materialization or its result.',
    hint: '`merge` needs `key`, `partition_overwrite` needs `partition_by`, each of columns of the result, and no other has them; `incremental` names an input, and not of `full`. Send null to take one away.',
  }),
  statementUnclear: problem({
    code: 'statement_unclear',
    status: 422,
    title: 'The statement is unclear',
    detail: 'A transform has either a statement of its own or one that a pattern makes.',
    hint: 'Give `sql`, or `pattern_id` with `parameters` and neither `sql` nor how rows are written.',
  }),
  patternUnknown: problem({
    code: 'transform_pattern_unknown',
    status: 422,
    title: 'The transform pattern is unknown',
    detail: 'No transform pattern of this deployment has the id.',
    hint: 'GET /transform-patterns lists the patterns; take a pattern_id from there.',
  }),
  patternParametersInvalid: problem({
    code: 'pattern_parameters_invalid',
    status: 422,
    title: 'The parameters are invalid',
    detail: 'The parameters have {count} fault(s) by their schema; errors has the place and rule of each.',
    hint: 'Correct the values that errors names; GET /transform-patterns/{pattern_id} has the schema.',
  }),
  sqlRefused: problem({
    code: 'sql_refused',
    status: 422,
    title: 'The SQL is refused',
    detail: 'The statement has {count} fault(s); `faults` has the code, line and column of each.',
    hint: 'Write one SELECT over tables named <layer>.<scope>.<table>, with functions that only compute.',
  }),
  checksRefused: problem({
    code: 'checks_refused',
    status: 422,
    title: 'Checks are refused',
    detail: '{count} check(s) cannot be carried out; `faults` has the check and code of each.',
    hint: 'Correct the checks that `faults` names: their columns, bounds, or statement over `result`.',
  }),
  sqlBoundMet: problem({
    code: 'sql_bound_met',
    status: 422,
    title: 'The statement met a bound',
    detail: 'The statement needed more {bound} than it may have, and was stopped.',
    hint: 'Read fewer rows or columns, or filter before joining; a transform has larger bounds than a query.',
  }),
  sqlStopped: problem({
    code: 'sql_stopped',
    status: 503,
    title: 'The statement was stopped',
    detail: 'The process that ran the statement ended early.',
    hint: 'Send it again; if it ends early each time, simplify the statement.',
  }),
};

const { invalidDatasetId, datasetNotReadable, datasetUnreadable } = datasetProblems;
const { storageFull, storeDenied, storeUnavailable } = datasetProblems;
/** What plugin `datasets` refuses the inputs of a statement with. */
export const statementProblems = {
  ...{ invalidDatasetId, datasetNotReadable, datasetUnreadable },
  ...{ storageFull, storeDenied, storeUnavailable },
};
