import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, Nullable } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { trySchemas } from './access.ts';
import { schemaProblems } from './problems.ts';
import { CheckFault, GivenSchema, MAX_INSTANCES, Subject, Version } from './shapes.ts';

export const Instances = Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_INSTANCES, description: 'Documents' });

/** Whether a schema or documents are in order. */
export const CheckResult = Type.Object({
  valid: Type.Boolean(),
  errors: Type.Array(CheckFault),
  truncated: Type.Boolean({ description: 'Whether there are more errors than are shown' }),
  checked: Type.Integer({ description: 'Documents that were tried' }),
  truncated_rows: Type.Boolean({ description: 'Whether the dataset has rows behind those that were tried' }),
  columns: Type.Array(
    Type.Object({
      column: Type.String({ description: 'Column of the dataset; empty for faults of the whole row' }),
      keyword: Type.String(),
      count: Type.Integer({ description: 'Rows with this fault' }),
      example: Nullable(Type.Unknown({ description: 'A value that is refused' })),
      message: Type.String(),
    }),
    { description: 'Faults of the rows of a dataset' },
  ),
});
export type CheckResultView = Static<typeof CheckResult>;

/** `POST /schemas/registry/validate` */
export const validateSchema = endpoint({
  id: 'schema_registry.validate_schema',
  method: 'POST',
  path: '/schemas/registry/validate',
  summary: 'Check a schema; or documents or the rows of a dataset against one',
  description:
    'Takes exactly one of `schema`, `subject` and `full_id`, and at most one of `instance`, `instances` and `dataset_id`; without any of these the schema itself is checked. In rows of a dataset, NULL is an absent member. Invalid data is an answer, not an error. Of a dataset the first 50,000 rows are tried.',
  access: trySchemas,
  body: Closed({
    schema: Type.Optional(GivenSchema),
    subject: Type.Optional(Subject),
    version: Type.Optional({ ...Version, description: 'Of the subject; the newest one unless given' }),
    full_id: Type.Optional(Type.String({ maxLength: 512, description: 'Of a schema of a library' })),
    instance: Type.Optional(Type.Unknown({ description: 'A document' })),
    instances: Type.Optional(Instances),
    dataset_id: Type.Optional(Type.String({ maxLength: 400 })),
  }),
  example: { schema: { type: 'object', required: ['id'] }, instance: { id: 'a' } },
  response: CheckResult,
  errors: [
    ...[kernelProblems.notFound, schemaProblems.sourceUnclear, schemaProblems.schemaNotSupported],
    ...[schemaProblems.schemaTooCostly, datasetProblems.invalidDatasetId, datasetProblems.datasetNotReadable],
  ],
  cli: 'schemas validate',
});
