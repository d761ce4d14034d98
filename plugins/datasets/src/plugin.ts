import { mkdir } from 'node:fs/promises';
import { contribute, definePlugin, handle, provide, type Tenant } from '@weir/kernel';
import { HealthChecks } from '@weir/kernel/contract';
import { createQueryPool, localPath } from '@weir/lakehouse';
import { StorageUses } from '@weir/plugin-platform/contract';
import { auditsService } from './audit/audits.ts';
import { CheckpointEntity } from './checkpoint/entity.ts';
import {
  ARROW_STREAM,
  Audits,
  datasetProblems,
  Facts,
  getDataset,
  getDatasetSchema,
  Inputs,
  listDatasetSnapshots,
  listDatasets,
  listLegacySnapshots,
  listLegacyTables,
  listQuarantine,
  listSchemaVersions,
  Producers,
  previewDataset,
  Samples,
  sweepStagedFiles,
  type TableRef,
  Tables,
} from './contract.ts';
import { factsService } from './facts/table-facts.ts';
import { maintenanceContributions } from './maintain/contributions.ts';
import { dueTables, maintenanceDuties } from './maintain/duties.ts';
import { maintenanceRoutes } from './maintain/maintenance-service.ts';
import { TABLE_MAINTENANCE } from './model/run-kinds.ts';
import { ProducerEntity } from './producer/entity.ts';
import { producersService } from './producer/producers.ts';
import { quarantinePage } from './quarantine/list.ts';
import { inputsService } from './read/inputs.ts';
import { withReason } from './read/refusal-reason.ts';
import { samplesService } from './read/samples.ts';
import { datasetService } from './read/service.ts';
import { storageUse } from './read/storage-use.ts';
import { turnsOfReads } from './read/turns-of-reads.ts';
import { datasetSettings } from './settings.ts';
import { sharedNamespaces } from './store/shared-namespaces.ts';
import { loadTables } from './store/table-store.ts';
import { openMaintenance } from './survey/open-tables.ts';
import { hourlySweep } from './sweep/schedule.ts';
import { sweep } from './sweep/sweep.ts';
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
    const { expiry, folders, catalogName, ...tableDeps } = openMaintenance(kernel);
    const { kernel: base, catalog, remote, io, scanner, warehouse, store } = tableDeps;
    const shared = sharedNamespaces(remote, kernel.log);
    const pool = createQueryPool({ io, turns: turnsOfReads });
    const remoteTable =
      remote && (async (tenant: Tenant, ref: TableRef) => (await loadTables(tableDeps, tenant, [ref]))[0]);
    const readDeps = { kernel: base, catalog, catalogName, scanner, pool, remoteTable };
    const datasets = datasetService(readDeps);
    const sweepDeps = { ...tableDeps, graceHours: settings.WEIR_SWEEP_GRACE_HOURS };
    const maintained = { ...tableDeps, expiry, catalogName };
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
        handle(listQuarantine, ({ tenant, params, query }) =>
          quarantinePage(readDeps, tenant, { id: params.dataset_id, query }),
        ),
        handle(sweepStagedFiles, ({ tenant, query }) => sweep(sweepDeps, tenant, query)),
        ...maintenanceRoutes(maintained, readDeps),
        handle(listLegacyTables, ({ tenant, query }) => datasets.legacyTables(tenant, query)),
        handle(listLegacySnapshots, ({ tenant, params, query }) =>
          datasets.legacySnapshots(tenant, params.table, query),
        ),
      ].map(withReason),
      services: [
        provide(Tables, tablesService(tableDeps)),
        provide(Producers, producersService()),
        provide(Audits, auditsService({ kernel: base, catalog, io, pool, folders })),
        provide(Samples, samplesService(readDeps)),
        provide(Inputs, inputsService({ ...tableDeps, catalogName })),
        provide(Facts, factsService(readDeps)),
      ],
      contributes: [
        contribute(HealthChecks, warehouseCheck(io, warehouse)),
        contribute(StorageUses, storageUse(catalogName, scanner)),
        ...maintenanceContributions(base),
      ],
      start: async () => {
        if (store.s3 === undefined) await mkdir(localPath(warehouse), { recursive: true });
        await shared.start();
      },
      runKinds: [TABLE_MAINTENANCE],
      duties: [hourlySweep(sweepDeps), dueTables(base), ...maintenanceDuties(maintained, settings)],
      async stop() {
        await shared.stop();
        await pool.close();
        await io.close();
      },
    };
  },
});
