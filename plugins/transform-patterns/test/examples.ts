import {
  applySqlTransform,
  getSqlTransform,
  getTransformPattern,
  previewTransformPattern,
  validateTransformPattern,
} from '@weir/plugin-transform-patterns/contract';
import { type Examples, example } from '../../../test/examples.ts';

const parameters = { input: 'raw.shared.nothing', key: ['id'], order_by: [{ column: 'at' }] };

export const examples: Examples = {
  // Packages are the same for every tenant.
  shared: { transform_pattern_id: 'deduplicate', sql_transform_id: 'trim', sql_type: 'string' },
  meant: [
    {
      of: [getTransformPattern, validateTransformPattern, previewTransformPattern],
      name: 'pattern_id',
      as: 'transform_pattern_id',
    },
    { of: [getSqlTransform, applySqlTransform], name: 'transform_id', as: 'sql_transform_id' },
  ],
  calls: [
    example(validateTransformPattern, { body: { parameters } }),
    example(previewTransformPattern, {
      body: { parameters },
      unreached: { why: 'the tenant has no table to read' },
    }),
  ],
  seed: async ({ tenant }) => ({
    calls: [
      example(applySqlTransform, {
        body: {
          name: 'fuzzed_trim',
          output: `silver.${tenant}.fuzzed_trim`,
          input: 'raw.shared.nothing',
          columns: ['a'],
        },
      }),
    ],
  }),
};
