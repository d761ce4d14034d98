import { type Static, Type } from '@sinclair/typebox';
import { Closed, endpoint, kernelProblems, Nullable, OneOf } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { suggestOntology } from '../access.ts';
import { Code } from '../documents.ts';
import { ontologyOff } from '../entity-types.ts';
import { ontologyProblems } from '../problems.ts';
import { backingProblems } from './problems.ts';

const DEFAULT_TOP_K = 3;
const MAX_TOP_K = 10;

const Share = Type.Number({ minimum: 0, maximum: 1 });
const Confidence = OneOf(['sure', 'review'], {
  description: 'sure: fit to be filled in for a person to see; review: a person chooses',
});
const choice = {
  column: Type.String(),
  score: Share,
  confidence: Confidence,
  reasons: Type.Object({
    name: Share,
    type: Share,
    values: Nullable({ ...Share, description: 'null where no values can be compared' }),
  }),
  cast: Type.Optional(
    Type.String({ description: 'SQL that makes the column fit the property, for `expression`; absent where it fits' }),
  ),
};
const MappingChoice = Type.Object(choice);
const SuggestedMapping = Type.Object({ property: Type.String(), ...choice, alternatives: Type.Array(MappingChoice) });

const SuggestedRelationship = Type.Object({
  relationship: Type.String(),
  columns: Type.Array(Type.String(), { description: 'In the order of `target_key`' }),
  target_type: Type.String(),
  target_key: Type.Array(Type.String()),
  many: Nullable(OneOf(['split', 'list'])),
  confidence: Confidence,
  coverage: Nullable({
    ...Share,
    description: 'Share of the sampled keys that are entities; null where no entity or no key can be looked up',
  }),
});

const Suggestions = Type.Object({
  mappings: Type.Array(SuggestedMapping),
  unmapped_required: Type.Array(Type.String(), { description: 'Properties of the key, and required ones' }),
  key: Type.Object({
    columns: Type.Array(Type.String(), { description: 'In the order of the key; empty where a part has no column' }),
    unique: Nullable(Type.Boolean({ description: 'No two sampled rows have one key; null where that is not known' })),
    nulls: Nullable(Type.Integer({ description: 'Sampled rows without a key' })),
  }),
  relationships: Type.Array(SuggestedRelationship),
  sample: Type.Object({
    rows: Type.Integer(),
    complete: Type.Boolean({ description: 'The table has no further row' }),
  }),
});
export type SuggestionsView = Static<typeof Suggestions>;
export type SuggestedChoice = Static<typeof MappingChoice>;
export type SuggestedMappingView = Static<typeof SuggestedMapping>;
export type SuggestedRelationshipView = Static<typeof SuggestedRelationship>;

/** `POST /backing-datasets/suggest-mappings` */
export const suggestMappings = endpoint({
  id: 'ontology.suggest_mappings',
  method: 'POST',
  path: '/backing-datasets/suggest-mappings',
  summary: 'Suggest which columns of a table fill which properties of an entity type',
  description:
    'By names, types and values of the first rows; no value is answered. Nothing is stored: a suggestion becomes a mapping when a backing dataset is created with it.',
  access: suggestOntology,
  body: Closed({
    dataset_id: Type.String({ minLength: 1, maxLength: 512, description: 'The table: `<namespace>.<scope>.<table>`' }),
    entity_type_code: { ...Code, description: 'The entity type that it is to fill' },
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Of the entity type; the newest unless given' }),
    ),
    top_k: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_TOP_K, default: DEFAULT_TOP_K, description: 'Alternatives a property' }),
    ),
  }),
  example: { dataset_id: 'bronze.demo.fleet__vehicles', entity_type_code: 'Vehicle' },
  response: Suggestions,
  errors: [
    datasetProblems.invalidDatasetId,
    datasetProblems.datasetNotReadable,
    kernelProblems.notFound,
    ontologyProblems.bindingMissing,
    backingProblems.entityTypeMissing,
    kernelProblems.conflict,
    kernelProblems.dependencyUnavailable,
    datasetProblems.datasetUnreadable,
    datasetProblems.queryTimeout,
    datasetProblems.previewTooLarge,
    datasetProblems.queryTooLarge,
    ontologyOff,
  ],
  cli: {
    words: 'ontology backing-datasets suggest',
    examples: [
      [
        'For a table',
        'weir ontology backing-datasets suggest --dataset-id bronze.demo.fleet__vehicles --entity-type-code Vehicle',
      ],
    ],
  },
});
