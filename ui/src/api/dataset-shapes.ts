import type { Output } from '@weir/kernel/contract';
import type { getDataset, listDatasetSnapshots } from '@weir/plugin-datasets/contract';

export type Dataset = Output<typeof getDataset>;
export type Snapshot = Output<typeof listDatasetSnapshots>['items'][number];
