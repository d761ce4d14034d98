import { type Static, Type } from '@sinclair/typebox';
import { Closed, EXAMPLE_ID, endpoint, Id, idOf, kernelProblems, Name, Nullable, OneOf } from '@weir/kernel/contract';
import { createTransform, statementProblems, transformProblems } from '@weir/plugin-transforms/contract';
import { useAi } from './access.ts';
import { enveloped } from './envelope.ts';
import { aiProblems } from './problems.ts';
import {
  Artifact,
  DatasetIds,
  Dialect,
  EntityTypeCode,
  Faults,
  FullId,
  GivenSchema,
  Lineage,
  MAX_AI_BYTES,
  OutputColumns,
  Review,
  Tests,
  text,
} from './shapes.ts';
import { askErrors } from './suggest.ts';

const MAX_SQL_CHARS = 100_000;
const MAX_LOG_CHARS = 65_536;
const Sql = Type.String({ ...text(MAX_SQL_CHARS, 'One SELECT'), minLength: 1 });
const TransformId = Type.Optional(idOf('transform'));

const statementErrors = [
  ...[kernelProblems.conflict, statementProblems.datasetUnreadable, statementProblems.storageFull],
  ...[statementProblems.storeDenied, statementProblems.storeUnavailable],
  ...[transformProblems.sqlBoundMet, transformProblems.sqlStopped],
];

export const SqlReview = Type.Object({
  ...Review.properties,
  tables: Type.Array(Type.String()),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      type: OutputColumns.items.properties.type,
      sources: Type.Array(Type.Object({ dataset_id: Type.String(), column: Type.String() })),
    }),
  ),
  explain: Type.Object({ ok: Type.Boolean(), error: Nullable(Type.String({ description: 'The first fault' })) }),
  complexity: Type.Object({
    tables: Type.Integer(),
    columns: Type.Integer(),
    rows: Nullable(Type.String({ description: 'Rows of the tables, in decimal digits' })),
  }),
});
export type SqlReviewView = Static<typeof SqlReview>;

/** `POST /ai/review-sql` */
export const reviewSql = endpoint({
  id: 'ai.review_sql',
  method: 'POST',
  path: '/ai/review-sql',
  summary: 'Review a statement: what it may do that its author does not mean',
  description: 'Takes `sql`, or `transform_id` for the statement of a transform. Rules find it, not a model.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    sql: Type.Optional(Sql),
    dialect: Type.Optional(Dialect),
    transform_id: TransformId,
    rules: Type.Optional(
      Type.Array(text(64, 'Id of a rule, such as fan-out'), { maxItems: 100, description: 'Only findings of these' }),
    ),
  }),
  example: { sql: 'select o.id, c.name from bronze.demo.shop__orders o, bronze.demo.shop__customers c' },
  response: enveloped(SqlReview),
  errors: [...askErrors, ...statementErrors],
  cli: 'ai review',
});

export const GeneratedTransform = Type.Object({
  artifact: Artifact,
  output_schema: OutputColumns,
  lineage: Lineage,
  review: Review,
  tests: Tests,
  explanation: Type.String(),
});
export type GeneratedTransformView = Static<typeof GeneratedTransform>;

/** `POST /ai/generate-transform` */
export const generateTransform = endpoint({
  id: 'ai.generate_transform',
  method: 'POST',
  path: '/ai/generate-transform',
  summary: 'Propose a transform from a description',
  description:
    'What comes back was checked as a statement that a person writes. Nothing is made until it is published.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    description: Type.Optional(text(4_000, 'What the table should hold, such as: sum of total by country')),
    inputs: Type.Unsafe<string[]>({ ...DatasetIds, minItems: 1, description: 'Datasets to read' }),
    target: Type.Optional(
      Closed({
        entity_type_code: Type.Optional(EntityTypeCode),
        full_id: Type.Optional(FullId),
        schema: Type.Optional(GivenSchema),
      }),
    ),
    kind: Type.Optional(OneOf(['sql', 'pattern'], { default: 'sql' })),
    dialect: Type.Optional(Dialect),
    transform_id: Type.Optional({ ...Id, description: 'The transform whose draft it is for' }),
  }),
  example: { description: 'count rows by status', inputs: ['bronze.demo.shop__orders'] },
  response: enveloped(GeneratedTransform),
  errors: [...askErrors, ...statementErrors],
  cli: {
    words: 'ai generate',
    examples: [['By words', 'weir ai generate --inputs bronze.demo.shop__orders --description "count rows by status"']],
  },
});

export const Fix = Type.Object({
  diagnosis: Type.Object({
    class: Type.String({ description: 'Such as unknown_column, or the code of the failure' }),
    detail: Type.String(),
    hint: Type.String({ description: 'What helps' }),
    evidence_lines: Type.Array(Type.String({ description: 'Lines of the log, without values' })),
  }),
  patches: Type.Array(Type.Object({ path: Type.String(), diff: Type.String({ description: 'Unified diff' }) })),
  artifact: Nullable(Artifact),
  validation: Type.Object({ valid: Type.Boolean(), faults: Faults }),
  needs_human: Type.Boolean({ description: 'No change of the files helps by itself' }),
});
export type FixView = Static<typeof Fix>;

/** `POST /ai/fix-ci-failure` */
export const fixCiFailure = endpoint({
  id: 'ai.fix_ci_failure',
  method: 'POST',
  path: '/ai/fix-ci-failure',
  summary: 'Explain a failure, and propose a change that helps',
  description:
    'Takes a statement, the id of a transform, a failed run or files, with a log where there is one. Of a run its own log is read.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    artifact: Type.Optional(Closed({ sql: Sql })),
    transform_id: TransformId,
    run_id: Type.Optional(idOf('run')),
    files: Type.Optional(
      Type.Array(Closed({ path: text(400, 'Path in the repository'), content: text(MAX_SQL_CHARS, 'Its text') }), {
        maxItems: 20,
      }),
    ),
    ci_log: Type.Optional(text(MAX_LOG_CHARS, 'The log of the failure')),
    attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, default: 1 })),
  }),
  example: { artifact: { sql: 'select ide from bronze.demo.shop__orders' } },
  response: enveloped(Fix),
  errors: [...askErrors, ...statementErrors],
  cli: { words: 'ai fix', examples: [['Why a run failed', 'weir ai fix --run-id <run_id>']] },
});

export const Published = Type.Object({
  transform_id: Nullable(Id),
  change: OneOf(['created', 'changed', 'none'], { description: 'none: a dry run' }),
  artifact_id: Nullable(Type.String({ description: 'Null until the transform is hydrated' })),
  digest: Type.String({ description: 'Of the proposal' }),
  review: Review,
});
export type PublishedView = Static<typeof Published>;

const { output, description } = {
  output: text(602, 'The table that it writes'),
  description: text(2_000, 'For people'),
};

/** `POST /ai/publish-transform` */
export const publishTransform = endpoint({
  id: 'ai.publish_transform',
  method: 'POST',
  path: '/ai/publish-transform',
  summary: 'Accept a proposal: make the transform that it describes, or change its draft',
  description:
    'The statement is checked again; no model takes part. A proposal for a transform changes the draft of that one, and takes neither name nor output. Nothing runs.',
  // Who accepts a proposal writes a transform, and needs what that needs.
  access: createTransform.access,
  body: Closed({
    execution_id: Id,
    expected_digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The digest of what you saw' }),
    name: Type.Optional(Name),
    output: Type.Optional(output),
    description: Type.Optional(description),
    dry_run: Type.Optional(Type.Boolean({ description: 'Check it and change nothing' })),
  }),
  example: {
    execution_id: EXAMPLE_ID,
    expected_digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    name: 'orders_by_status',
    output: 'gold.demo.orders_by_status',
  },
  response: enveloped(Published),
  errors: [
    ...[kernelProblems.notFound, kernelProblems.dependencyUnavailable, kernelProblems.preconditionFailed],
    ...statementErrors,
    ...[aiProblems.proposalChanged, aiProblems.proposalNotOpen, aiProblems.proposalNotTransform],
    ...[aiProblems.proposalRefused, transformProblems.transformNameTaken, transformProblems.outputTaken],
    ...[transformProblems.outputRefused, statementProblems.invalidDatasetId],
  ],
  cli: { words: 'ai publish', flags: { output: 'to' }, confirm: 'Make the transform of this proposal?' },
});
