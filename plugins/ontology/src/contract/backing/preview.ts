import { type Static, Type } from '@sinclair/typebox';
import { endpoint, kernelProblems, Nullable, OneOf, permission } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { transformProblems } from '@weir/plugin-transforms/contract';
import { NewBacking, newBackingExample, ruled } from './backing-datasets.ts';

/** Rows that a preview reads. */
export const PREVIEW_ROWS = 20;

/** Why a row becomes no entity, or not alone. */
export const PREVIEW_FAULTS = [
  'not_castable',
  'required_missing',
  'not_in_enum',
  'below_min',
  'above_max',
  'pattern_missed',
  'too_long',
  'key_missing',
  'key_repeated',
  'key_too_long',
  'not_storable',
] as const;

const PreviewFault = Type.Object({
  code: OneOf(PREVIEW_FAULTS),
  of: Nullable(Type.String({ description: 'The property or the relationship that it is about' })),
});

const PreviewEntity = Type.Object({
  row: Type.Integer({ minimum: 1, description: 'Place of the row among those that were read' }),
  key: Nullable(Type.String()),
  deleted: Type.Boolean({ description: 'The row says that its entity is deleted' }),
  properties: Type.Record(Type.String(), Type.Unknown()),
  links: Type.Array(
    Type.Object({ relationship: Type.String(), target_type: Type.String(), target_key: Type.String() }),
  ),
  faults: Type.Array(PreviewFault, { description: 'Empty where the row becomes an entity' }),
});

const Preview = Type.Object({
  dataset_id: Type.String(),
  snapshot_id: Nullable(Type.String({ description: '64-bit snapshot id, all digits' })),
  entities: Type.Array(PreviewEntity),
  has_more: Type.Boolean({ description: 'The table has further rows' }),
});
export type BackingPreviewView = Static<typeof Preview>;
export type PreviewEntityView = Static<typeof PreviewEntity>;

/** `POST /backing-datasets/preview` (ours) */
export const previewBackingDataset = endpoint({
  id: 'ontology.preview_backing_dataset',
  method: 'POST',
  path: '/backing-datasets/preview',
  summary: 'Show which entities the first rows of a table would become',
  description:
    'The body is that of a new backing dataset, and is judged as such; nothing is stored. The rows are read as a query of the caller reads them.',
  access: permission('queries:run', 'viewer', { tenantHeader: 'users', reads: true }),
  body: NewBacking,
  example: newBackingExample,
  declarative: true,
  maxBodyBytes: 4 * 1024 * 1024,
  response: Preview,
  errors: [
    ...ruled,
    datasetProblems.datasetUnreadable,
    datasetProblems.storageFull,
    datasetProblems.storeDenied,
    datasetProblems.storeUnavailable,
    kernelProblems.conflict,
    transformProblems.inputMissing,
    transformProblems.sqlRefused,
    transformProblems.sqlBoundMet,
    transformProblems.sqlStopped,
  ],
  cli: {
    words: 'ontology backing-datasets preview',
    examples: [['From a file', 'weir ontology backing-datasets preview --file vehicles.yaml']],
  },
});
