import { getLineage, readImpact } from '@weir/plugin-lineage/contract';
import { type Examples, example } from '../../../test/examples.ts';

export const examples: Examples = {
  own: [
    { of: getLineage, why: 'what a table comes from, what is made of it, and what is behind' },
    { of: readImpact, why: 'what a change of columns would break and reach, before it is made' },
  ],
  calls: [
    example(readImpact, {
      body: { dataset_id: 'bronze.acme.shop__orders', changes: [{ column: 'price', change: 'drop' }] },
      unreached: { why: 'no sync has filled its table' },
    }),
  ],
};
