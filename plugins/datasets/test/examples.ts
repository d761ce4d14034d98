import { listLegacySnapshots } from '@weir/plugin-datasets/contract';
import type { Examples } from '../../../test/examples.ts';

const absent = () => 'bronze.nowhere.shop__orders';

export const examples: Examples = {
  meant: [{ of: [listLegacySnapshots], name: 'table', as: 'dataset_id' }],
  absent: { dataset_id: absent, table: absent },
};
