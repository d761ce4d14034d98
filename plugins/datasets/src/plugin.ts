import { mkdir } from 'node:fs/promises';
import { definePlugin, handle, type Kernel, provide } from '@weir/kernel';
import { createQueryPool, createScanner, jdbcCatalog, localFileIO } from '@weir/lakehouse';
import { CheckpointEntity } from './checkpoint/entity.ts';
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
import { ProducerEntity } from './producer/entity.ts';
import { producersService } from './producer/producers.ts';
import { checkSettings, datasetSettings } from './settings.ts';
import { tablesService } from './table/tables.ts';

/** The datasets plugin: tables of tenants, who produces them, and what may be read of them. */
export default definePlugin({
  id: 'datasets',
  settings: datasetSettings,
  entities: [ProducerEntity, CheckpointEntity],
  problems: datasetProblems,
  setup(kernel) {
    const { settings } = kernel;
    const { warehouse } = checkSettings(settings);
    const io = localFileIO({ root: warehouse });
    const catalogName = settings.TABLE_CATALOG;
    const catalog = jdbcCatalog({ catalogName });
    const scanner = createScanner({ io });
    const pool = createQueryPool();
    const base = kernel as Kernel;
    const datasets = datasetService({ kernel: base, catalog, catalogName, scanner, pool });
    return {
      routes: [
        handle(listDatasets, ({ tenant, query }) => datasets.list(tenant, query)),
        handle(getDataset, ({ tenant, params }) => datasets.get(tenant, params.dataset_id)),
        handle(previewDataset, ({ tenant, params, query }) => datasets.preview(tenant, params.dataset_id, query)),
        handle(listDatasetSnapshots, ({ tenant, params, query }) =>
          datasets.snapshots(tenant, params.dataset_id, query),
        ),
      ],
      services: [
        provide(Tables, tablesService({ kernel: base, catalog, io, scanner, warehouse })),
        provide(Producers, producersService()),
      ],
      start: async () => {
        await mkdir(warehouse, { recursive: true });
      },
      stop: () => pool.close(),
    };
  },
});
