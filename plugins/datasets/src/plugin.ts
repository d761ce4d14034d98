import { mkdir } from 'node:fs/promises';
import { contribute, definePlugin, handle, type Kernel, provide } from '@weir/kernel';
import { HealthChecks } from '@weir/kernel/contract';
import { createQueryPool, createScanner, jdbcCatalog, localFileIO } from '@weir/lakehouse';
import { Events } from '@weir/plugin-platform/contract';
import { CheckpointEntity } from './checkpoint/entity.ts';
import {
  ARROW_STREAM,
  datasetProblems,
  getDataset,
  getDatasetSchema,
  listDatasetSnapshots,
  listDatasets,
  listLegacySnapshots,
  listLegacyTables,
  listSchemaVersions,
  Producers,
  previewDataset,
  Tables,
} from './contract.ts';
import { datasetService } from './dataset/service.ts';
import { ProducerEntity } from './producer/entity.ts';
import { producersService } from './producer/producers.ts';
import { checkSettings, datasetSettings } from './settings.ts';
import { tablesService } from './table/tables.ts';
import { warehouseCheck } from './warehouse-check.ts';

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
        handle(previewDataset, ({ tenant, params, query, mediaType }) => {
          const read = mediaType === ARROW_STREAM ? datasets.previewArrow : datasets.preview;
          return read(tenant, params.dataset_id, query);
        }),
        handle(getDatasetSchema, ({ tenant, params, query }) => datasets.schema(tenant, params.dataset_id, query)),
        handle(listSchemaVersions, ({ tenant, params, query }) =>
          datasets.schemaHistory(tenant, params.dataset_id, query),
        ),
        handle(listDatasetSnapshots, ({ tenant, params, query }) =>
          datasets.snapshots(tenant, params.dataset_id, query),
        ),
        handle(listLegacyTables, ({ tenant, query }) => datasets.legacyTables(tenant, query)),
        handle(listLegacySnapshots, ({ tenant, params, query }) =>
          datasets.legacySnapshots(tenant, params.table, query),
        ),
      ],
      services: [
        provide(Tables, tablesService({ kernel: base, catalog, io, scanner, warehouse, events: kernel.use(Events) })),
        provide(Producers, producersService()),
      ],
      contributes: [contribute(HealthChecks, warehouseCheck(warehouse))],
      start: async () => {
        await mkdir(warehouse, { recursive: true });
      },
      stop: () => pool.close(),
    };
  },
});
