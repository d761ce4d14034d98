/** A kind of failure, how a log says it, and what helps. */
export interface LogRule {
  class: string;
  form: RegExp;
  detail: string;
  hint: string;
  /** A change of the statement or the files may help by itself. */
  isCode: boolean;
}

const rule = (name: string, form: RegExp, isCode: boolean, detail: string, hint: string): LogRule => ({
  class: name,
  form,
  isCode,
  detail,
  hint,
});

/** In the order in which they are looked for: the first that a log shows is the diagnosis. */
export const LOG_RULES: readonly LogRule[] = [
  rule(
    'unknown_column',
    /Referenced column "([^"]+)" (?:not found|was not found)|column "?([\w.]+)"? does not exist|Unknown column|column_unknown/i,
    true,
    'A statement names a column that its tables do not have.',
    'Correct the name of the column, or refresh the schema of the source that should bring it.',
  ),
  rule(
    'missing_group_by',
    /must appear in the GROUP BY clause|column_not_grouped|not in GROUP BY/i,
    true,
    'A column is neither grouped nor aggregated.',
    'Add the column to GROUP BY, or put it into an aggregate such as any_value.',
  ),
  rule(
    'ambiguous_column',
    /Ambiguous (?:reference to )?column|column_ambiguous|is ambiguous/i,
    true,
    'Several tables have the column, and the statement does not say which is meant.',
    'Write the alias of the table before the column.',
  ),
  rule(
    'unknown_table',
    /Table with name ([\w.]+) does not exist|relation "([\w.]+)" does not exist|table_unknown|input_missing|Table or view not found/i,
    true,
    'A statement names a table that is not there.',
    'Correct the name, or run what makes the table first.',
  ),
  rule(
    'unknown_function',
    /(?:Scalar|Aggregate|Table) Function with name (\w+) does not exist|function_unknown|No function matches/i,
    true,
    'A function is not known, or takes other values.',
    'Look up the function for this dialect, and the types that it takes.',
  ),
  rule(
    'type_mismatch',
    /Binder Error: Cannot (?:compare|mix) values of type|Cannot compare values of type|function_mismatch|type mismatch|could not be cast implicitly/i,
    true,
    'Values of two types are compared or combined.',
    'Cast one side to the type of the other.',
  ),
  rule(
    'cast_failed',
    /Conversion Error|Could not convert|invalid input syntax for|value_invalid|Malformed (?:JSON|timestamp|date)/i,
    true,
    'A value cannot be read as the type that it is cast to.',
    'Use try_cast, and decide what becomes of values that do not fit.',
  ),
  rule('division_by_zero', /division by zero/i, true, 'A division meets zero.', 'Divide by nullif(x, 0).'),
  rule(
    'reserved_word',
    /syntax error at or near "(\w+)"/i,
    true,
    'A word of the language is used as a name, or a part is missing.',
    'Put the name into double quotes, or complete the statement there.',
  ),
  rule(
    'syntax_error',
    /Parser Error|syntax error|SyntaxError|Unexpected token/i,
    true,
    'The statement or file cannot be parsed.',
    'Correct the place that the message names.',
  ),
  rule(
    'duplicate_column',
    /column_duplicate|duplicate column|specified more than once/i,
    true,
    'Two columns of the result have one name.',
    'Give one of them another name with AS.',
  ),
  rule(
    'aggregate_in_where',
    /WHERE clause cannot contain aggregates/i,
    true,
    'WHERE holds an aggregate.',
    'Move the condition to HAVING.',
  ),
  rule(
    'window_in_where',
    /WHERE clause cannot contain window functions/i,
    true,
    'WHERE holds a window function.',
    'Move the condition to QUALIFY.',
  ),
  rule(
    'set_operation_columns',
    /Set operations can only apply to expressions with the same number/i,
    true,
    'The sides of a UNION have different numbers of columns.',
    'List the same columns on both sides, or use UNION BY NAME.',
  ),
  rule(
    'integer_overflow',
    /Overflow in|out of range for/i,
    true,
    'A number is larger than its type can hold.',
    'Cast to a larger type before the computation.',
  ),
  rule(
    'check_failed',
    /check (?:has )?failed|checks? .{0,40} not passed|expectation failed|transform_check_failed/i,
    false,
    'A check over the rows did not pass.',
    'Look at the rows that break it: correct them, or the check.',
  ),
  rule(
    'schema_changed',
    /schema (?:has )?changed|schema_incompatible|schema_frozen|column_type_changed/i,
    false,
    'A table or source has other columns than the statement was written for.',
    'Refresh the schema, then put the statement in force again.',
  ),
  rule(
    'not_hydrated',
    /not_hydrated|transform_not_ready|is not hydrated/i,
    false,
    'No version of the transform is in force.',
    'Put the draft in force.',
  ),
  rule(
    'not_readable',
    /dataset_not_readable|not readable for/i,
    false,
    'A table belongs to another tenant, or is produced by none of your sources and transforms.',
    'Name a table of your tenant.',
  ),
  rule(
    'out_of_memory',
    /Out of Memory|out_of_memory|memory_limit|heap out of memory/i,
    false,
    'The work needed more memory than it may have.',
    'Filter before joining, read fewer columns, or raise the bound.',
  ),
  rule(
    'timed_out',
    /timed? ?out|deadline|ETIMEDOUT|query_timeout/i,
    false,
    'The work took longer than it may.',
    'Read less at once, or raise the bound.',
  ),
  rule(
    'disk_full',
    /No space left|ENOSPC|disk_full|disk is full/i,
    false,
    'A disk is full.',
    'Free space on the machine that the message names.',
  ),
  rule(
    'credentials_refused',
    /\b(?:401|403)\b|unauthori[sz]ed|authentication failed|access denied|permission denied|credentials? (?:was|were|is|are)? ?(?:rejected|invalid|refused)/i,
    false,
    'A system refuses the credentials, or what they may do.',
    'Renew the credentials, or ask for the right that the message names.',
  ),
  rule(
    'rate_limited',
    /\b429\b|rate limit|too many requests/i,
    false,
    'A system takes fewer requests than were made.',
    'Run it less often, or with fewer requests at once.',
  ),
  rule(
    'unreachable',
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|connection (?:refused|reset)|could not connect|no route to host|certificate/i,
    false,
    'A system cannot be reached.',
    'Check its address, the network and its certificate.',
  ),
  rule(
    'image_missing',
    /manifest unknown|pull access denied|image .{0,60}not found|ImagePull/i,
    false,
    'The image of a connector cannot be pulled.',
    'Check the name and the tag of the image.',
  ),
  rule(
    'worker_lost',
    /worker_lost|worker (?:was )?lost|SIGKILL|exit(?:ed)? (?:with )?code 137/i,
    false,
    'The process that did the work was lost.',
    'Run it again; if it happens again, look at the memory of the machine.',
  ),
];

/** What a log shows: the first rule that fits, and the lines that show it. */
export function diagnose(log: string): { rule: LogRule; lines: string[] } | undefined {
  const lines = log.split(/\r?\n/);
  for (const rule of LOG_RULES) {
    const shown = lines.filter((line) => rule.form.test(line));
    if (shown.length > 0) return { rule, lines: shown.slice(0, 5) };
  }
  return undefined;
}
