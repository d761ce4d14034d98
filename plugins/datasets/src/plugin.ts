import { definePlugin, handle, provide } from '@weir/kernel';
import { createQueryPool } from '@weir/lakehouse';
import {
  datasetProblems,
  getDataset,
  listDatasetSnapshots,
  listDatasets,
  Producers,
  previewDataset,
  Tables,
} from './contract.ts';
import { datasetService } from './dataset/service.ts';
import { producersService } from './producer/service.ts';
import { settings } from './settings.ts';
import { tablesService } from './tables/service.ts';
import { tableStore } from './tables/store.ts';

export default definePlugin({
  id: 'datasets',
  settings,
  problems: datasetProblems,
  setup({ db, runs, settings: { TABLE_CATALOG, WEIR_WAREHOUSE } }) {
    const store = tableStore({ db, catalogName: TABLE_CATALOG, warehouse: WEIR_WAREHOUSE });
    const queries = createQueryPool();
    const datasets = datasetService({ store, queries });
    return {
      routes: [
        handle(listDatasets, ({ tenant, query }) => datasets.list(tenant, query)),
        handle(getDataset, ({ tenant, params }) => datasets.get(tenant, params.dataset_id)),
        handle(previewDataset, ({ tenant, params, query }) => datasets.preview(tenant, params.dataset_id, query)),
        handle(listDatasetSnapshots, ({ tenant, params, query }) =>
          datasets.snapshots(tenant, params.dataset_id, query),
        ),
      ],
      services: [provide(Tables, tablesService({ store, runs })), provide(Producers, producersService())],
      stop: () => queries.close(),
    };
  },
});
