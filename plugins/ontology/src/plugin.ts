import { contribute, definePlugin, type Kernel, Platform, WorkflowEngine } from '@weir/kernel';
import { ReadinessChecks, RunChanges, RunDrops } from '@weir/kernel/contract';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { datasetProblems, TableCommits } from '@weir/plugin-datasets/contract';
import { LineageGivers } from '@weir/plugin-lineage/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { transformProblems } from '@weir/plugin-transforms/contract';
import { Schedules, workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import { failurePages, workProblems } from '@weir/work';
import { routes } from './api/routes.ts';
import { backingProblems } from './contract/backing/problems.ts';
import { ontologyProblems } from './contract/problems.ts';
import { routeProblems } from './contract/sync-route.ts';
import type { OntologyStore } from './model/entity/store.ts';
import { BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity } from './model/rows.ts';
import { ONTOLOGY_SYNC, ONTOLOGY_SYNC_V2 } from './model/run-kinds.ts';
import { SYNC_FAILURES } from './model/sync/failure-table.ts';
import { lineageOfBacking } from './service/backing/lineage-giver.ts';
import { reconciliation } from './service/backing/reconciliation.ts';
import { backingServices } from './service/backing/services.ts';
import { type OntologySettings, ontologyTenants } from './service/bindings.ts';
import { entityTypeDocuments } from './service/document-kind.ts';
import { entityService } from './service/entities.ts';
import { routeEngine } from './service/route/route-engine.ts';
import { syncRouteService } from './service/route/sync-route.ts';
import { storeOf } from './service/store/store-of.ts';
import { dropRuns } from './service/sync/drop-runs.ts';
import { typeService } from './service/types.ts';
import { versionService } from './service/versions.ts';
import { settings } from './settings.ts';

/** What reading tables is refused for, by samples and by queries. */
const readProblems = {
  datasetUnreadable: datasetProblems.datasetUnreadable,
  storageFull: datasetProblems.storageFull,
  storeDenied: datasetProblems.storeDenied,
  storeUnavailable: datasetProblems.storeUnavailable,
  queryTimeout: datasetProblems.queryTimeout,
  previewTooLarge: datasetProblems.previewTooLarge,
  queryTooLarge: datasetProblems.queryTooLarge,
  inputMissing: transformProblems.inputMissing,
  sqlRefused: transformProblems.sqlRefused,
  sqlBoundMet: transformProblems.sqlBoundMet,
  sqlStopped: transformProblems.sqlStopped,
};

/** Entity types with versions, the tenants of the ontology, and the store of entities. */
export default definePlugin({
  id: 'ontology',
  settings,
  entities: [BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity],
  problems: {
    ...ontologyProblems,
    ...backingProblems,
    ...routeProblems,
    ...failurePages(SYNC_FAILURES),
    ...workProblems,
    ...readProblems,
    featureNotConfigured: workflowEngineProblems.featureNotConfigured,
    invalidDatasetId: datasetProblems.invalidDatasetId,
    datasetNotReadable: datasetProblems.datasetNotReadable,
  },
  setup: (kernel) => registered(kernel),
});

/** What the plugin registers; a test may put a store of its own around the one that is configured. */
export function registered(kernel: Kernel<OntologySettings>, around = (store: OntologyStore) => store) {
  const store = around(storeOf(kernel));
  const deps = { kernel, store, tenants: ontologyTenants(kernel, kernel.settings) };
  const backing = backingServices(deps);
  const { sensor } = backing;
  const engine = routeEngine(kernel.use(WorkflowEngine));
  return {
    routes: routes({
      ...backing,
      isEnabled: kernel.settings.ONTOLOGY_ENABLED ?? kernel.mode === 'development',
      store,
      types: typeService(deps),
      versions: versionService(deps),
      entities: entityService(deps),
      syncRoute: syncRouteService({ kernel, platform: kernel.use(Platform), engine }),
    }),
    runKinds: [ONTOLOGY_SYNC, ONTOLOGY_SYNC_V2],
    duties: [sensor.sweep, reconciliation({ kernel, schedules: kernel.use(Schedules) })],
    contributes: [
      contribute(ApplyKinds, entityTypeDocuments),
      contribute(ApplyKinds, backing.documents),
      contribute(TableCommits, sensor.tableCommitted, { always: true }),
      contribute(TableCommits, sensor.startCommitted),
      contribute(RunChanges, sensor.runChanged),
      contribute(RunDrops, dropRuns),
      contribute(RunSubjectNames, backing.names),
      contribute(LineageGivers, lineageOfBacking(kernel)),
      ...backing.checks.map((check) => contribute(ReadinessChecks, check)),
    ],
  };
}
