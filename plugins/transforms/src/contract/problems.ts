import { problem } from '@weir/kernel/contract';

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
