import { type AnyRoute, handle } from '@weir/kernel';
import { keptAnswer } from '@weir/turns';
import { ontologyOff } from '../contract/entity-types.ts';
import * as endpoints from '../contract.ts';
import type { OntologyStore } from '../model/entity/store.ts';
import type { BackingServices } from '../service/backing/services.ts';
import type { EntityService } from '../service/entities.ts';
import type { SyncRouteService } from '../service/route/sync-route.ts';
import type { TypeService } from '../service/types.ts';
import type { VersionService } from '../service/versions.ts';

/** How long the answer of the store is kept, however many ask for the status. */
const KEPT_MS = 10_000;
export interface RouteServices extends BackingServices {
  isEnabled: boolean;
  store: OntologyStore;
  types: TypeService;
  versions: VersionService;
  entities: EntityService;
  syncRoute: SyncRouteService;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ isEnabled, store, ...services }: RouteServices): AnyRoute[] {
  const reachable = keptAnswer(() => store.reachable(), KEPT_MS);
  const contract = keptAnswer(() => services.syncRoute.contract(), KEPT_MS);
  const status = handle(endpoints.getOntologyStatus, async () => ({
    enabled: isEnabled,
    reachable: isEnabled && (await reachable()),
    adapter: store.capabilities().adapter,
    contract_version: await contract(),
  }));
  const others = [
    ...typeRoutes(services),
    ...entityRoutes(services),
    ...backingRoutes(services),
    ...routeRoutes(services),
  ];
  const off = async () => {
    throw ontologyOff({ members: { feature: 'ontology' } });
  };
  return [status, ...(isEnabled ? others : others.map(({ endpoint }) => ({ endpoint, run: off })))];
}

function typeRoutes({ types, versions }: Pick<RouteServices, 'types' | 'versions'>): AnyRoute[] {
  return [
    handle(endpoints.listEntityTypes, ({ tenants, query }) => types.list(tenants, query)),
    handle(endpoints.createEntityType, ({ tenant, principal, body }) => types.create(tenant, principal, body)),
    handle(endpoints.getEntityType, ({ tenant, params, query }) => types.get(tenant, params.code, query ?? {})),
    handle(endpoints.changeEntityType, ({ tenant, principal, params: { code }, body, ifMatch }) =>
      types.change(tenant, principal, { code, ifMatch, body }),
    ),
    handle(endpoints.retireEntityType, ({ tenant, principal, params: { code }, ifMatch }) =>
      types.retire(tenant, principal, { code, ifMatch }),
    ),
    handle(endpoints.listEntityTypeVersions, ({ tenant, params, query }) => versions.list(tenant, params.code, query)),
    handle(endpoints.createEntityTypeVersion, ({ tenant, principal, params, body }) =>
      versions.create(tenant, principal, params.code, body),
    ),
    handle(endpoints.differEntityTypeVersions, ({ tenant, params, query }) =>
      versions.difference(tenant, params, query ?? {}),
    ),
  ];
}

function entityRoutes({ entities }: Pick<RouteServices, 'entities'>): AnyRoute[] {
  return [
    handle(endpoints.listEntities, ({ tenant, principal, params: { code }, query }) =>
      entities.list(tenant, principal, { code, query }),
    ),
    handle(endpoints.getEntity, ({ tenant, principal, params: { code, key } }) =>
      entities.get(tenant, principal, { code, key: endpoints.keyOfPath(key) }),
    ),
    handle(endpoints.listEntityLinks, ({ tenant, principal, params: { key, ...params }, query }) =>
      entities.links(tenant, principal, { ...params, key: endpoints.keyOfPath(key), query }),
    ),
  ];
}

/** The endpoints of backing datasets with the service calls that carry them out. */
function backingRoutes({
  backing,
  starts,
  syncRuns,
  pending,
  health,
  suggestions,
  previews,
  readiness,
}: BackingServices): AnyRoute[] {
  return [
    handle(endpoints.suggestMappings, ({ tenant, principal, body, signal }) =>
      suggestions.suggest(tenant, principal, { body, signal }),
    ),
    handle(endpoints.previewBackingDataset, ({ tenant, principal, body, signal }) =>
      previews.preview(tenant, principal, { body, signal }),
    ),
    handle(endpoints.listPendingSyncs, ({ tenants, query }) => pending(tenants, query)),
    handle(endpoints.getSyncCapabilities, ({ tenants }) => starts.capabilities(tenants)),
    handle(endpoints.createBackingDataset, ({ tenant, principal, body, signal }) =>
      backing.create(tenant, principal, { body, signal }),
    ),
    handle(endpoints.listBackingDatasets, ({ tenants, query }) => backing.list(tenants, query)),
    handle(endpoints.getBackingDataset, ({ tenant, params }) => backing.get(tenant, params.backing_dataset_id)),
    handle(endpoints.changeBackingDataset, ({ tenant, principal, params, body, ifMatch, signal }) =>
      backing.change(tenant, principal, { id: params.backing_dataset_id, ifMatch, body, signal }),
    ),
    handle(endpoints.deleteBackingDataset, ({ tenant, principal, params, query, ifMatch }) =>
      backing.remove(tenant, principal, { id: params.backing_dataset_id, ifMatch, query }),
    ),
    handle(endpoints.syncBackingDataset, ({ tenant, principal, params, query }) =>
      starts.trigger(tenant, principal, { id: params.backing_dataset_id, query }),
    ),
    handle(endpoints.listSyncRuns, ({ tenant, params, query }) =>
      syncRuns.list(tenant, params.backing_dataset_id, query),
    ),
    handle(endpoints.getSyncRun, ({ tenant, params }) =>
      syncRuns.get(tenant, { id: params.backing_dataset_id, runId: params.run_id }),
    ),
    handle(endpoints.readSyncRunLog, ({ tenant, params, query, mediaType, signal }) =>
      syncRuns.log(tenant, { id: params.backing_dataset_id, runId: params.run_id }, { query, mediaType, signal }),
    ),
    handle(endpoints.getBackingReadiness, ({ tenant, params }) => readiness(tenant, params.backing_dataset_id)),
    handle(endpoints.getBackingHealth, ({ tenant, principal, params }) =>
      health.checks(tenant, principal, { id: params.backing_dataset_id, drift: true }),
    ),
  ];
}

function routeRoutes({ syncRoute }: Pick<RouteServices, 'syncRoute'>): AnyRoute[] {
  return [
    handle(endpoints.getSyncRoute, () => syncRoute.read()),
    handle(endpoints.setSyncRoute, ({ principal, body }) => syncRoute.change(body, principal)),
  ];
}
