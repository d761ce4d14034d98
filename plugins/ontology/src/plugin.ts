import { contribute, definePlugin, type Kernel, Platform, Refusal } from '@weir/kernel';
import { ApplyKinds } from '@weir/plugin-apply/contract';
import { workflowEngineProblems } from '@weir/plugin-workflow-engine/contract';
import { routes } from './api/routes.ts';
import { ontologyProblems } from './contract/problems.ts';
import type { OntologyStore } from './model/entity/store.ts';
import { BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity } from './model/rows.ts';
import { type OntologySettings, ontologyTenants } from './service/bindings.ts';
import { entityTypeDocuments } from './service/document-kind.ts';
import { entityService } from './service/entities.ts';
import { embeddedStore } from './service/store/embedded.ts';
import { typeService } from './service/types.ts';
import { versionService } from './service/versions.ts';
import { settings } from './settings.ts';

/** Entity types with versions, the tenants of the ontology, and the store of entities. */
export default definePlugin({
  id: 'ontology',
  settings,
  entities: [BackingDatasetEntity, EntityTypeEntity, SyncRunEntity, TypeVersionEntity],
  problems: { ...ontologyProblems, featureNotConfigured: workflowEngineProblems.featureNotConfigured },
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
    contributes: [contribute(ApplyKinds, entityTypeDocuments)],
  };
}

/** The store that the settings choose; throws a `Refusal` for one that this release cannot use. */
function storeOf(kernel: Kernel<OntologySettings>): OntologyStore {
  const { ONTOLOGY_SERVICE_URL: url = '', ONTOLOGY_API_KEY: key } = kernel.settings;
  const refuse = (fault: string) => {
    throw new Refusal('configuration refused', [fault]);
  };
  if (url !== '') refuse('ONTOLOGY_SERVICE_URL must be empty: this release keeps entities in its database only');
  if (key !== undefined)
    refuse('ONTOLOGY_API_KEY is for an ontology service: set ONTOLOGY_SERVICE_URL too, or neither');
  const { sql } = kernel.use(Platform);
  const ping = async () => (await sql('select 1 from kernel.schema_ledger limit 1', [])).rowCount === 1;
  return embeddedStore({ db: kernel.db, ping });
}
