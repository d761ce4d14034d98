import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, Id, idOf, kernelProblems, Nullable, OneOf } from '@weir/kernel/contract';
import { runQueries } from './access.ts';

export const CHECK_KINDS = [
  ...(['not_null', 'unique', 'accepted_values', 'relationship', 'row_count', 'freshness', 'sql'] as const),
] as const;
export const SEVERITIES = ['fail', 'warn'] as const;
/** `failed` keeps the result from being published, `warned` does not; `error`: it could not be carried out. */
export const CHECK_STATUSES = ['passed', 'warned', 'failed', 'error'] as const;

export const MAX_CHECKS = 50;
/** Rows that a check keeps of those that break it. */
export const MAX_SAMPLE_ROWS = 20;

const MAX_COLUMNS = 20;
const MAX_VALUES = 200;
const MAX_TEXT_CHARS = 1_000;
const MAX_COLUMN_CHARS = 255;
const MAX_DATASET_ID_CHARS = 602;
const MAX_SQL_CHARS = 20_000;
const MAX_AGE_SECONDS = 3_155_760_000;
/** Neither NUL nor half of a surrogate pair. */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';

const ColumnName = Type.String({ minLength: 1, maxLength: MAX_COLUMN_CHARS, pattern: STORABLE });
const Columns = Type.Array(ColumnName, { minItems: 1, maxItems: MAX_COLUMNS, uniqueItems: true });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Value = Type.Union([
  Type.String({ maxLength: MAX_TEXT_CHARS, pattern: STORABLE }),
  Type.Number(),
  Type.Boolean(),
]);

/** What every check says; warn publishes the rows and records what is wrong. */
const common = {
  name: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$', description: 'Unique in the transform' }),
  severity: Type.Optional(OneOf(SEVERITIES, { description: 'fail unless given; warn publishes and records' })),
};

/** A rule that the table must follow once the rows of a run are in it; values that are null break `not_null` alone. */
export const Check = Type.Union([
  Closed({ ...common, kind: Type.Literal('not_null'), columns: Columns }),
  Closed({ ...common, kind: Type.Literal('unique'), columns: Columns }),
  Closed({
    ...common,
    kind: Type.Literal('accepted_values'),
    column: ColumnName,
    values: Type.Array(Value, { minItems: 1, maxItems: MAX_VALUES }),
  }),
  Closed({
    ...common,
    kind: Type.Literal('relationship'),
    column: ColumnName,
    to: Type.String({
      minLength: 1,
      maxLength: MAX_DATASET_ID_CHARS,
      pattern: STORABLE,
      description: 'A dataset id, which becomes an input',
    }),
    to_column: Type.Optional(ColumnName),
  }),
  Closed({ ...common, kind: Type.Literal('row_count'), min: Type.Optional(Count), max: Type.Optional(Count) }),
  Closed({
    ...common,
    kind: Type.Literal('freshness'),
    column: ColumnName,
    max_age_seconds: Type.Integer({ minimum: 1, maximum: MAX_AGE_SECONDS, description: 'Age of the newest value' }),
  }),
  Closed({
    ...common,
    kind: Type.Literal('sql'),
    sql: Type.String({
      minLength: 1,
      maxLength: MAX_SQL_CHARS,
      pattern: STORABLE,
      description:
        'A SELECT of the wrong rows, over `result` (the table as it will be), `written` (what the run writes) and datasets, which become inputs',
    }),
  }),
]);
export type CheckBody = Static<typeof Check>;

export const Checks = Type.Array(Check, { maxItems: MAX_CHECKS, description: 'Carried out before rows are published' });

/** How a check of a run ended. */
export const CheckResult = Type.Object({
  name: Type.String(),
  kind: OneOf(CHECK_KINDS),
  severity: OneOf(SEVERITIES),
  status: OneOf(CHECK_STATUSES, { description: 'warned: broken, and published all the same' }),
  failing_rows: Nullable(
    Type.String({ description: 'Decimal digits; null for an error. Of unique: keys that several rows have' }),
  ),
  duration_ms: Type.Integer({ minimum: 0 }),
});
export type CheckResultView = Static<typeof CheckResult>;

/** A check with rows that break it, as the run read them. */
export const CheckReport = Type.Object({
  ...CheckResult.properties,
  sample: Nullable(
    Type.Object({
      columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
      rows: Type.Array(Type.Array(Type.Unknown()), {
        description: `At most ${MAX_SAMPLE_ROWS}, as queries answer them`,
      }),
    }),
  ),
});
export type CheckReportView = Static<typeof CheckReport>;

/** `GET /transform-runs/{run_id}/checks` (ours) */
export const readRunChecks = endpoint({
  id: 'transforms.read_run_checks',
  method: 'GET',
  path: '/transform-runs/:run_id/checks',
  summary: 'Read the checks of a run, with rows that break them',
  description:
    'For callers who may ask datasets with SQL, as samples are rows. The run itself shows results without rows.',
  access: runQueries,
  params: Closed({ run_id: idOf('run') }),
  response: Type.Object({ run_id: Id, checks: Type.Array(CheckReport) }),
  errors: [kernelProblems.notFound],
  cli: 'transforms checks',
});
