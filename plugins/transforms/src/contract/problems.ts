import { problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';

/** What is said of a place in a statement by the code of its fault. */
export const SQL_FAULTS: Readonly<Record<string, string>> = {
  input_missing: 'This table cannot be found',
  input_not_made: 'This table is not made yet',
  dataset_not_readable: 'This table is not readable for your tenant',
  table_unknown: 'This table cannot be found',
  table_qualified: 'This table must be named layer.scope.table',
  table_dated: 'A table cannot be read as of another time here',
  function_unknown: 'This function is not known',
  function_refused: 'This function may not be called here',
  function_mismatch: 'No form of this function takes these values',
  table_function_refused: 'This function may not stand in FROM',
  construct_refused: 'This is not permitted in a statement',
  describe_refused: 'The columns of a table are on its own page, and this cannot stand here',
  not_select: 'Only a SELECT can stand here. A PIVOT names its values with IN',
  several_statements: 'Only one statement can stand here',
  too_complex: 'The statement is nested too deeply or has too many parts',
  syntax: 'This is not understood',
  column_unknown: 'This column is not known',
  column_ambiguous: 'Several tables have this column',
  column_not_grouped: 'This column must be grouped or aggregated',
  column_duplicate: 'Two columns of the result have one name',
  unsupported_type: 'This column has a type that tables cannot hold',
  value_invalid: 'This value cannot be read as its type',
  statement_invalid: 'The statement is not valid SQL',
  name_repeated: 'Two checks have one name',
  bound_missing: 'This check needs a bound',
  bounds_crossed: 'The lower bound lies above the upper one',
};

/** What is said of a member of a definition. */
export const DEFINITION_FAULTS: Readonly<Record<string, string>> = {
  not_of_materialization: 'does not go with this materialization',
  column_doubled: 'names a column twice',
  not_an_input: 'must name a table that the statement reads',
  output_refused: 'must be a table of the layer silver or gold of your tenant',
  invalid_dataset_id: 'must be named layer.scope.table',
  output_is_input: 'is a table that the statement reads',
  increment_not_read: 'names a table that the statement does not read in FROM',
  increment_read_twice: 'names a table that the statement reads more than once',
  increment_join: 'names a table on a side of a join where new rows change earlier results',
  increment_set_operation: 'names a table in a set operation, such as UNION',
  increment_nested: 'names a table whose rows are put together in a subquery',
  increment_limit: 'does not go with LIMIT: new rows change which rows are the first',
  increment_having: 'does not go with HAVING: new rows change which groups stay',
  increment_qualify: 'goes with QUALIFY that keeps the first rows of a rank alone',
  increment_construct: 'does not go with what the statement does with its rows',
  increment_not_by_row:
    'needs a statement in which each row gives rows of its own, or `merge` or `partition_overwrite`',
  increment_clock: 'does not go with a statement that reads the clock: rows that are due later would never come',
  increment_column: 'needs the columns of the key or partition in each GROUP BY, DISTINCT ON and PARTITION BY',
};

/** What is said of a step of a group. */
const STEP_FAULTS: Readonly<Record<string, string>> = {
  transform_unknown: 'This transform cannot be found',
  transform_archived: 'This transform is archived',
  transform_unclear: 'A step has either the id of a transform, or a transform that is to be made',
  step_doubled: 'Two steps have one id',
  step_unknown: 'No step has this id',
  circle: 'waits for a table that is made of its own',
  not_of_materialization: 'Partitions are chosen of a transform that overwrites partitions',
  not_a_partition: 'This column does not divide the table',
  required: 'Name at least one value',
  too_many: 'These are too many values',
  value_unfit: 'The type of the column has no such value',
  range_unfit: 'Values of this type have no ranges',
  range_empty: 'This range has no values',
};

/** What is said of a run that cannot be resumed. */
const RESUME_FAULTS: Readonly<Record<string, string>> = {
  run_unknown: 'This run of several transforms cannot be found',
  run_open: 'This run has not ended',
  run_published: 'This run has published what it made, or had nothing to do',
  published_each: 'This run published each table as its step ended',
  not_together: 'Only a run that publishes together takes over results',
  version_differs: 'This run carried out other steps than those that are to run',
  run_rehearsed: 'This run is a rehearsal, which is promoted',
  run_failed: 'This rehearsal did not succeed',
};

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
    detail: 'The statement reads {count:table} that cannot be found.',
    hint: 'Load or make the tables first, or correct their names in the statement.',
    faults: SQL_FAULTS,
  }),
  transformNotReady: problem({
    code: 'transform_not_ready',
    status: 409,
    title: 'The transform is not ready',
    detail: 'A check of the transform keeps it from running.',
    hint: 'Look at the checks of the transform, each with what to do.',
    next: [
      {
        operation: 'transforms.get_transform_detail',
        params: { transform_id: '{transform_id}' },
        text: 'Show what keeps it from running',
      },
    ],
  }),
  stepsNotReady: problem({
    code: 'steps_not_ready',
    status: 409,
    title: 'Steps are not ready',
    detail: 'Checks keep {count:step} from running: {steps}.',
    hint: 'Look at the checks of each transform that is named, each with what to do.',
    next: [{ operation: 'transforms.list_transforms', text: 'List the transforms' }],
  }),
  stepsRefused: problem({
    code: 'steps_refused',
    status: 422,
    title: 'The steps are refused',
    detail: 'These transforms cannot run as one: something is wrong with {count:step}.',
    hint: 'Name transforms that are there, of which none reads what is made of its own output.',
    faults: STEP_FAULTS,
  }),
  resumeRefused: problem({
    code: 'resume_refused',
    status: 409,
    title: 'The run cannot be resumed',
    detail: 'The named run has no results that another run could take over.',
    hint: 'Name a run that published together and has failed or was cancelled, or start without one: what is unchanged is skipped.',
    faults: RESUME_FAULTS,
  }),
  transformInUse: problem({
    code: 'transform_in_use',
    status: 409,
    title: 'The transform is in use',
    detail: 'A pipeline has the transform as one of its steps.',
    hint: 'Take the step out of each pipeline that has it, or archive the transform.',
  }),
  draftNotFound: problem({
    code: 'draft_not_found',
    status: 404,
    title: 'There is no draft',
    detail: 'What was saved last is in force.',
    hint: 'There is nothing to discard; to go back to an earlier definition, restore its version.',
    next: [
      {
        operation: 'transforms.list_transform_versions',
        params: { transform_id: '{transform_id}' },
        text: 'See the versions',
      },
    ],
  }),
  transformNotInForce: problem({
    code: 'transform_not_in_force',
    status: 409,
    title: 'No version is in force',
    detail: 'The transform was never hydrated: its draft is all that there is of it.',
    hint: 'Correct the draft and put it in force, or delete the transform.',
    next: [
      {
        operation: 'transforms.change_transform',
        params: { transform_id: '{transform_id}' },
        text: 'Correct the draft',
      },
    ],
  }),
  outputRefused: problem({
    code: 'output_refused',
    status: 422,
    title: 'The output is refused',
    detail: 'A transform writes a table of the layer silver or gold in the scope of its tenant.',
    hint: 'Set `output` to a table of the layer silver or gold in the scope of your tenant, such as `gold.demo.orders`.',
  }),
  materializationRefused: problem({
    code: 'materialization_refused',
    status: 422,
    title: 'The materialization is refused',
    detail: 'Members of the definition do not go with its materialization or its result.',
    hint: '`merge` needs `key`, `partition_overwrite` needs `partition_by`, each of columns of the result, and no other has them; `incremental` names an input, and not of `full`. Send null to take one away.',
    faults: DEFINITION_FAULTS,
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
    hint: 'Choose one of the patterns of this deployment.',
    next: [{ operation: 'transform_patterns.list_transform_patterns', text: 'List the patterns' }],
  }),
  patternParametersInvalid: problem({
    code: 'pattern_parameters_invalid',
    status: 422,
    title: 'The parameters are invalid',
    detail: 'The parameters have {count:fault} by their schema.',
    hint: 'Correct each parameter that is listed.',
  }),
  sqlRefused: problem({
    code: 'sql_refused',
    status: 422,
    title: 'The SQL is refused',
    detail: 'The statement cannot run: it has {count:fault}.',
    hint: 'Write one SELECT over tables named layer.scope.table, with functions that only compute.',
    faults: SQL_FAULTS,
  }),
  checksRefused: problem({
    code: 'checks_refused',
    status: 422,
    title: 'Checks are refused',
    detail: '{count:check} cannot be carried out.',
    hint: 'Correct the columns, the bounds or the statement of each check that is listed.',
    faults: SQL_FAULTS,
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

/** What plugin `datasets` refuses a whole with. */
export const groupProblems = { catalogMovesOneTable: datasetProblems.catalogMovesOneTable };

const { invalidDatasetId, datasetNotReadable, datasetUnreadable } = datasetProblems;
const { storageFull, storeDenied, storeUnavailable } = datasetProblems;
/** What plugin `datasets` refuses the inputs of a statement with. */
export const statementProblems = {
  ...{ invalidDatasetId, datasetNotReadable, datasetUnreadable },
  ...{ storageFull, storeDenied, storeUnavailable },
};
