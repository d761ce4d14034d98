import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, Nullable, OneOf } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { useAi } from './access.ts';
import { enveloped } from './envelope.ts';
import { aiProblems } from './problems.ts';
import {
  DatasetId,
  DatasetIds,
  EntityTypeCode,
  Field,
  FullId,
  GivenColumns,
  GivenSchema,
  MAX_AI_BYTES,
  text,
} from './shapes.ts';

const Score = Type.Number({ minimum: 0, maximum: 1 });

/** What any task may be refused with. */
export const askErrors = [
  ...[kernelProblems.notFound, kernelProblems.payloadTooLarge, kernelProblems.dependencyUnavailable],
  ...[datasetProblems.invalidDatasetId, datasetProblems.datasetNotReadable],
  ...[aiProblems.unsupportedRequest, aiProblems.budgetExceeded, aiProblems.invalidOutput],
  ...[aiProblems.unavailable, aiProblems.deadline],
];

export const TargetSchema = Type.Object({
  candidates: Type.Array(
    Type.Object({
      source: OneOf(['registry', 'library', 'ontology', 'inferred']),
      full_id: Nullable(Type.String({ description: 'The subject, schema or entity type; null where it is inferred' })),
      fields: Type.Array(Field),
      coverage: Type.Number({ minimum: 0, maximum: 1, description: 'Share of the columns that a field takes' }),
      confidence: Score,
      field_matches: Type.Array(
        Type.Object({ source_field: Type.String(), target_field: Type.String(), confidence: Score }),
      ),
    }),
  ),
});
export type TargetSchemaView = Static<typeof TargetSchema>;

/** `POST /ai/suggest-target-schema` */
export const suggestTargetSchema = endpoint({
  id: 'ai.suggest_target_schema',
  method: 'POST',
  path: '/ai/suggest-target-schema',
  summary: 'Propose schemas that columns may be brought into',
  description: 'Takes `dataset_id` or `columns`. Rows are compared here and never sent to a provider.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    dataset_id: Type.Optional(DatasetId),
    columns: Type.Optional(GivenColumns),
    sample_rows: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 100, description: 'Rows of `columns`' }),
    ),
    goal: Type.Optional(text(2_000, 'What the schema is for, in words')),
    library_id: Type.Optional(text(64, 'Only schemas of this library')),
    entity_type_code: Type.Optional(EntityTypeCode),
    max_candidates: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 5 })),
  }),
  example: {
    columns: [
      { name: 'order_id', type: 'string' },
      { name: 'total', type: 'double' },
    ],
  },
  response: enveloped(TargetSchema),
  errors: askErrors,
  cli: 'ai suggest-schema',
});

/** How the value of a field is made. */
const FieldTransform = Type.Object({
  kind: OneOf(['same', 'rename', 'cast']),
  expression: Type.String({ description: 'SQL, written by the platform' }),
  lossless: Type.Boolean(),
});

export const FieldMappings = Type.Object({
  mappings: Type.Array(
    Type.Object({
      source_field: Type.String(),
      target_field: Type.String(),
      confidence: Score,
      reasons: Type.Object({ name: Score, type: Score, instance: Nullable(Score), embedding: Nullable(Score) }),
      transform: FieldTransform,
      alternatives: Type.Array(Type.Object({ target_field: Type.String(), confidence: Score })),
    }),
  ),
  unmapped_source: Type.Array(Type.String()),
  unmapped_required: Type.Array(Type.String({ description: 'Fields of the target that need a value' })),
  primary_key: Nullable(
    Type.Object({
      fields: Type.Array(Type.String({ description: 'Fields of the target' })),
      unique: Nullable(Type.Boolean({ description: 'In the rows that were looked at; null where none were' })),
      nulls: Nullable(Type.Integer({ description: 'Rows without a key, of those that were looked at' })),
    }),
  ),
  relationships: Type.Array(
    Type.Object({ code: Type.String(), target_type: Type.String(), source_fields: Type.Array(Type.String()) }),
  ),
});
export type FieldMappingsView = Static<typeof FieldMappings>;

/** The two sides of a mapping. */
export const MappingSource = Closed({
  dataset_id: Type.Optional(DatasetId),
  schema: Type.Optional(GivenSchema),
});
export const MappingTarget = Closed({
  entity_type_code: Type.Optional(EntityTypeCode),
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  full_id: Type.Optional(FullId),
  schema: Type.Optional(GivenSchema),
});

const shop = { type: 'object', properties: { order_no: { type: 'string' }, amount: { type: 'number' } } };
const model = { type: 'object', properties: { orderNumber: { type: 'string' }, amount: { type: 'number' } } };

/** `POST /ai/suggest-field-mappings` */
export const suggestFieldMappings = endpoint({
  id: 'ai.suggest_field_mappings',
  method: 'POST',
  path: '/ai/suggest-field-mappings',
  summary: 'Propose which field of a target each column fills',
  description: 'Each side takes exactly one of its members; `version` goes with `entity_type_code`.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    source: MappingSource,
    target: MappingTarget,
    top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 3 })),
    min_confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.3 })),
  }),
  example: { source: { schema: shop }, target: { schema: model } },
  response: enveloped(FieldMappings),
  errors: askErrors,
  cli: 'ai suggest-mappings',
});

export const PatternParams = Type.Object({
  params: Type.Record(Type.String(), Type.Unknown()),
  per_param: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.Unknown({ description: 'As params has it' }),
      confidence: Score,
      origin: OneOf(['given', 'default', 'dataset', 'columns', 'description', 'assistant']),
    }),
  ),
  missing: Type.Array(Type.String({ description: 'Parameters that a person has to give' })),
  validation: Type.Object({
    valid: Type.Boolean(),
    errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String() })),
  }),
});
export type PatternParamsView = Static<typeof PatternParams>;

/** `POST /ai/suggest-pattern-params` */
export const suggestPatternParams = endpoint({
  id: 'ai.suggest_pattern_params',
  method: 'POST',
  path: '/ai/suggest-pattern-params',
  summary: 'Propose parameters of a connector pattern or a transform pattern',
  description: 'Credentials are neither proposed nor taken: leave them out of partial_params.',
  access: useAi,
  maxBodyBytes: MAX_AI_BYTES,
  body: Closed({
    pattern_id: text(63, 'The pattern'),
    kind: OneOf(['source', 'transform']),
    dataset_ids: Type.Optional(DatasetIds),
    partial_params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'What is decided' })),
    description: Type.Optional(text(2_000, 'What it is for, in words')),
  }),
  example: { pattern_id: 'files', kind: 'source' as const },
  response: enveloped(PatternParams),
  errors: askErrors,
  cli: 'ai suggest-params',
});
