import { changeMaintenance, getTableHealth, listLegacySnapshots, maintainTable } from '@weir/plugin-datasets/contract';
import type { Examples } from '../../../test/examples.ts';

const absent = () => 'bronze.nowhere.shop__orders';

export const examples: Examples = {
  meant: [{ of: [listLegacySnapshots], name: 'table', as: 'dataset_id' }],
  own: [
    { of: getTableHealth, why: 'what maintenance a table needs, and what its last rewrites proved' },
    { of: maintainTable, why: 'has a table maintained at once, or shows what would be done' },
    { of: changeMaintenance, why: 'pauses the maintenance of a table, or changes its bounds' },
  ],
  absent: { dataset_id: absent, table: absent },
};
