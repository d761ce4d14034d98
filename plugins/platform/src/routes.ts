import { type AnyRoute, handle } from '@weir/kernel';
import type { admissionService } from './admission/service.ts';
import type { auditService } from './audit/service.ts';
import {
  createTenant,
  getAdmission,
  getDocs,
  getDocsAsset,
  getErrorDoc,
  getLimits,
  getMetrics,
  getOpenapi,
  getServicesHealth,
  getStatus,
  getTenant,
  getTenantLimits,
  listAdmissionChanges,
  listAudit,
  listErrorDocs,
  listPlatformAudit,
  listPlugins,
  listTenantPlugins,
  listTenants,
  readEvents,
  setAdmission,
  setTenantLimits,
  setTenantPlugin,
} from './contract.ts';
import type { docsService } from './docs/service.ts';
import type { eventService } from './event/service.ts';
import type { limitService } from './limit/service.ts';
import type { metricsService } from './metrics/service.ts';
import type { pluginService } from './plugin/service.ts';
import type { statusService } from './status/service.ts';
import type { tenantService } from './tenant/service.ts';

export interface RouteServices {
  status: ReturnType<typeof statusService>;
  metrics: ReturnType<typeof metricsService>;
  events: ReturnType<typeof eventService>;
  admission: ReturnType<typeof admissionService>;
  audit: ReturnType<typeof auditService>;
  plugins: ReturnType<typeof pluginService>;
  limits: ReturnType<typeof limitService>;
  tenants: ReturnType<typeof tenantService>;
  docs: ReturnType<typeof docsService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({
  status,
  metrics,
  events,
  admission,
  audit,
  plugins,
  limits,
  tenants,
  docs,
}: RouteServices): AnyRoute[] {
  return [
    handle(getStatus, () => status.status()),
    handle(getServicesHealth, () => status.services()),
    handle(getMetrics, ({ mediaType }) => metrics.read(mediaType)),
    handle(readEvents, ({ tenant, ...request }) => events.read(tenant, request)),
    handle(getAdmission, () => admission.read()),
    handle(setAdmission, ({ body, principal, ifMatch }) => admission.set(body, principal, ifMatch)),
    handle(listAdmissionChanges, ({ query }) => admission.changes(query)),
    handle(listAudit, ({ tenant, query }) => audit.list(tenant, query)),
    handle(listPlatformAudit, ({ query }) => audit.listPlatform(query)),
    handle(listPlugins, ({ tenant }) => plugins.list(tenant)),
    handle(listTenantPlugins, ({ params }) => plugins.listOf(params.alias)),
    handle(createTenant, async ({ body: { alias, plugins: given = [] }, principal }) => {
      plugins.assertOptional(given);
      const made = await tenants.create(alias);
      await plugins.give({ tenantId: made.tenant_id, alias: made.alias, scope: made.scope }, given, principal);
      return made;
    }),
    handle(listTenants, ({ query }) => tenants.page(query)),
    handle(getTenant, ({ params }) => tenants.read(params.alias)),
    handle(getTenantLimits, ({ params }) => limits.read(params.alias)),
    handle(getLimits, ({ tenant }) => limits.read(tenant.alias)),
    handle(setTenantLimits, ({ params, body, principal }) => limits.set(params.alias, body, principal)),
    handle(setTenantPlugin, ({ params, body, principal }) => plugins.set(params, body.enabled, principal)),
    handle(getOpenapi, ({ codings }) => docs.openapi(codings)),
    handle(getDocs, () => docs.explorer()),
    handle(getDocsAsset, ({ params }) => docs.asset(params.file)),
    handle(listErrorDocs, () => docs.errors()),
    handle(getErrorDoc, ({ params }) => docs.error(params.code)),
  ];
}
