import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, listQuery, Nullable, OneOf, Page } from '@weir/kernel/contract';
import {
  Check,
  Fault,
  MATERIALIZATIONS,
  MAX_QUERY_ROWS,
  previewTransform,
  QueryResult,
  transformProblems,
  Validation,
  validateTransform,
} from '@weir/plugin-transforms/contract';
import { readPatterns, syncPatterns, tryPatterns } from './access.ts';
import { Categories, Category, PackageFault, Parameters, PatternId, Schema, SyncResult } from './catalog.ts';

/** A transform pattern in a list. */
export const TransformPatternSummary = Type.Object({
  pattern_id: PatternId,
  version: Type.String({ description: 'Version of its package' }),
  title: Type.String(),
  category: Category,
  description: Type.String(),
  layer: OneOf(['silver', 'gold'], { description: 'Where its table usually lies' }),
});

/** A transform pattern with all that a form needs. */
export const TransformPattern = Type.Composite([
  TransformPatternSummary,
  Type.Object({
    parameters: Schema,
    template: Type.String({ description: 'The template of its statement' }),
    docs: Type.String({ description: 'Its page, in Markdown' }),
  }),
]);
export type TransformPatternView = Static<typeof TransformPattern>;

const PatternPage = Type.Composite([
  Page(TransformPatternSummary),
  Type.Object({ faults: Type.Array(PackageFault, { description: 'Packages that cannot be used; the others are' }) }),
]);
const params = Closed({ pattern_id: PatternId });

/** `GET /transform-patterns` */
export const listTransformPatterns = endpoint({
  id: 'transform_patterns.list_transform_patterns',
  method: 'GET',
  path: '/transform-patterns',
  summary: 'List the transform patterns',
  access: readPatterns,
  query: listQuery(['pattern_id'], {
    category: Type.Optional({ ...Category, description: 'Only those of this category' }),
  }),
  response: PatternPage,
  errors: [kernelProblems.invalidPageToken],
  cli: { words: 'transform-patterns list', columns: ['pattern_id', 'version', 'category', 'title'] },
});

/** `GET /transform-patterns/categories` */
export const listTransformPatternCategories = endpoint({
  id: 'transform_patterns.list_categories',
  method: 'GET',
  path: '/transform-patterns/categories',
  summary: 'List the categories of transform patterns',
  access: readPatterns,
  response: Categories,
  cli: { words: 'transform-patterns categories', columns: ['category', 'count'] },
});

/** `GET /transform-patterns/{pattern_id}` */
export const getTransformPattern = endpoint({
  id: 'transform_patterns.get_transform_pattern',
  method: 'GET',
  path: '/transform-patterns/:pattern_id',
  summary: 'Read a transform pattern with the schema of its parameters and its page',
  access: readPatterns,
  params,
  response: TransformPattern,
  errors: [kernelProblems.notFound],
  cli: 'transform-patterns get',
});

/** What a pattern makes of parameters. */
const Made = {
  sql: Type.String(),
  materialization: OneOf(MATERIALIZATIONS),
  key: Type.Array(Type.String()),
  partition_by: Type.Array(Type.String()),
  incremental: Nullable(Type.String()),
  checks: Type.Array(Check, { description: 'Checks that the transform has beside its own' }),
};

/** `POST /transform-patterns/{pattern_id}/validate` */
export const validateTransformPattern = endpoint({
  id: 'transform_patterns.validate_transform_pattern',
  method: 'POST',
  path: '/transform-patterns/:pattern_id/validate',
  summary: 'Check parameters by the schema, and the statement that they make against its inputs',
  description: 'Nothing is stored and nothing runs. The answer is 200 for invalid parameters too: faults says why.',
  access: tryPatterns,
  params,
  body: Closed({ parameters: Parameters }),
  example: { parameters: { input: 'bronze.demo.shop__orders', key: ['id'], order_by: [{ column: 'ordered_at' }] } },
  response: Type.Composite([
    Type.Omit(Validation, ['faults']),
    Type.Object({
      faults: Type.Array(Type.Composite([Fault, Type.Object({ message: Type.Optional(Type.String()) })]), {
        description: 'Of the parameters by their schema, or else of the statement that they make',
      }),
      definition: Nullable(Type.Object(Made, { description: 'null when the parameters make no statement' })),
    }),
  ]),
  errors: [kernelProblems.notFound, ...(validateTransform.errors ?? [])],
  cli: 'transform-patterns validate',
});

/** `POST /transform-patterns/{pattern_id}/preview` */
export const previewTransformPattern = endpoint({
  id: 'transform_patterns.preview_transform_pattern',
  method: 'POST',
  path: '/transform-patterns/:pattern_id/preview',
  summary: 'Show the statement that parameters make, and its first rows',
  access: tryPatterns,
  params,
  body: Closed({
    parameters: Parameters,
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_QUERY_ROWS, default: 50, description: 'Rows at most' }),
    ),
  }),
  example: {
    parameters: { input: 'bronze.demo.shop__orders', key: ['id'], order_by: [{ column: 'ordered_at' }] },
    limit: 20,
  },
  response: Type.Composite([Type.Object(Made), QueryResult]),
  errors: [...(previewTransform.errors ?? []), transformProblems.patternParametersInvalid],
  cli: 'transform-patterns preview',
});

/** `POST /transform-patterns/sync` */
export const syncTransformPatterns = endpoint({
  id: 'transform_patterns.sync_transform_patterns',
  method: 'POST',
  path: '/transform-patterns/sync',
  summary: 'Read the transform packages again',
  description:
    'Every process reads its own files again before its next answer. Transforms keep the statement that they have.',
  access: syncPatterns,
  response: SyncResult,
  cli: { words: 'transform-patterns sync', columns: ['kind', 'pattern_id', 'version', 'outcome'] },
});
