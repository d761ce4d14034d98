import type { Kernel, PlatformService, Principal, Tenant } from '@weir/kernel';
import { kernelProblems, subjectOf } from '@weir/kernel/contract';
import { type PluginView, platformProblems, type TenantPluginView } from '../contract.ts';

export interface PluginDeps {
  tenants: Kernel['tenants'];
  platform: Pick<PlatformService, 'manifests' | 'endpoints' | 'tenantPlugins'>;
}

type Manifest = ReturnType<PlatformService['manifests']>[number];
type States = Awaited<ReturnType<PlatformService['tenantPlugins']['states']>>;

/** The loaded plugins, and which tenant has which. */
export function pluginService({ tenants, platform }: PluginDeps) {
  const { tenantPlugins } = platform;
  const tenantOf = async (alias: string): Promise<Tenant> => {
    const tenant = await tenants.byAlias(alias);
    if (tenant === undefined) throw kernelProblems.notFound();
    return tenant;
  };
  return {
    async list(tenant: Tenant) {
      const states = await tenantPlugins.states(tenant);
      const endpoints = platform.endpoints();
      const items = platform.manifests().map((manifest): PluginView => {
        const permissions = Object.entries(manifest.permissions ?? {});
        return {
          ...factsOf(manifest, states),
          permissions: permissions.map(([permission, description]) => ({ permission, description })),
          routes: endpoints.filter(({ plugin }) => plugin === manifest.id).length,
        };
      });
      return { items, next_page_token: null, total: items.length };
    },
    /** Throws `not_found` for a tenant that does not exist. */
    async listOf(alias: string) {
      const tenant = await tenantOf(alias);
      const states = await tenantPlugins.states(tenant);
      const items = platform.manifests().map((manifest) => tenantView(tenant, manifest, states));
      return { items, next_page_token: null, total: items.length };
    },
    /** Throws `plugin_not_optional` with the places of those that cannot be given to a tenant. */
    assertOptional(ids: readonly string[]): void {
      const optional = platform.manifests().flatMap(({ id, tenancy }) => (tenancy === 'opt-in' ? [id] : []));
      const errors = ids.flatMap((id, at) =>
        optional.includes(id) ? [] : [{ pointer: `/plugins/${at}`, code: 'enum', known: optional }],
      );
      if (errors.length > 0) throw platformProblems.pluginNotOptional({ errors });
    },
    /** Gives a tenant that has just been made its plugins. */
    async give(tenant: Tenant, ids: readonly string[], who: Principal): Promise<void> {
      for (const id of ids) await tenantPlugins.set(tenant, id, { enabled: true, changedBy: subjectOf(who) });
    },
    /** Throws `not_found` for a tenant or plugin that does not exist, `plugin_not_optional` for one that all have. */
    async set(
      place: { alias: string; plugin_id: string },
      enabled: boolean,
      who: Principal,
    ): Promise<TenantPluginView> {
      const tenant = await tenantOf(place.alias);
      const manifest = platform.manifests().find(({ id }) => id === place.plugin_id);
      if (manifest === undefined) throw kernelProblems.notFound();
      if (manifest.tenancy === 'always') throw platformProblems.pluginNotOptional();
      const before = await tenantPlugins.states(tenant);
      if (before.get(manifest.id)?.enabled === enabled) return tenantView(tenant, manifest, before);
      const changedBy = subjectOf(who);
      await tenantPlugins.set(tenant, manifest.id, { enabled, changedBy });
      return tenantView(tenant, manifest, await tenantPlugins.states(tenant));
    },
  };
}

function factsOf({ id, version, tenancy }: Manifest, states: States) {
  const enabled = tenancy === 'always' || states.get(id)?.enabled === true;
  return { plugin_id: id, version, tenancy, enabled };
}

function tenantView(tenant: Tenant, manifest: Manifest, states: States): TenantPluginView {
  const choice = states.get(manifest.id);
  return {
    ...factsOf(manifest, states),
    tenant: tenant.alias,
    changed_by: choice?.changedBy ?? null,
    changed_at: choice === undefined ? null : new Date(choice.changedAt).toISOString(),
  };
}
