import { contribute, definePlugin, type Kernel } from '@weir/kernel';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import { failurePages, workProblems } from '@weir/work';
import { routes } from './api/routes.ts';
import { ontologyProblems } from './contract/problems.ts';
import type { OntologyStore } from './model/entity/store.ts';
import { BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity } from './model/rows.ts';
import { ONTOLOGY_SYNC_V2 } from './model/run-kinds.ts';
import { SYNC_FAILURES } from './model/sync/failure-table.ts';
import { type OntologySettings, ontologyTenants } from './service/bindings.ts';
import { entityTypeDocuments } from './service/document-kind.ts';
import { entityService } from './service/entities.ts';
import { storeOf } from './service/store/store-of.ts';
import { typeService } from './service/types.ts';
import { versionService } from './service/versions.ts';
import { settings } from './settings.ts';

/** Entity types with versions, the tenants of the ontology, and the store of entities. */
export default definePlugin({
  id: 'ontology',
  settings,
  entities: [BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity],
  problems: {
    ...ontologyProblems,
    ...failurePages(SYNC_FAILURES),
    ...workProblems,
    featureNotConfigured: workflowEngineProblems.featureNotConfigured,
  },
  setup: (kernel) => registered(kernel),
});

/** What the plugin registers; a test may put a store of its own around the one that is configured. */
export function registered(kernel: Kernel<OntologySettings>, around = (store: OntologyStore) => store) {
  const store = around(storeOf(kernel));
  const deps = { kernel, store, tenants: ontologyTenants(kernel, kernel.settings) };
  return {
    routes: routes({
      isEnabled: kernel.settings.ONTOLOGY_ENABLED ?? kernel.mode === 'development',
      store,
      types: typeService(deps),
      versions: versionService(deps),
      entities: entityService(deps),
    }),
    runKinds: [ONTOLOGY_SYNC_V2],
    contributes: [contribute(ApplyKinds, entityTypeDocuments)],
  };
}
