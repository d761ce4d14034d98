import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  Nullable,
  OneOf,
  Page,
  platformPermission,
  Timestamp,
} from '@weir/kernel/contract';
import { platformProblems } from './problems.ts';
import { mayLook } from './status.ts';

export const TENANCIES = ['always', 'opt-in'] as const;

const manage = platformPermission('plugins:manage', { capability: 'plugins:manage' });

/** Of a tenant, as tokens and headers spell it. */
export const Alias = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$', description: 'Alias of the tenant' });
export const PluginId = Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$', description: 'Id of the plugin' });

const facts = {
  plugin_id: Type.String(),
  version: Type.String(),
  tenancy: OneOf(TENANCIES, { description: 'always: every tenant has it; opt-in: those that were given it' }),
  enabled: Type.Boolean({ description: 'Whether the tenant has it' }),
};

/** A plugin as a tenant sees it. */
export const Plugin = Type.Object({
  ...facts,
  permissions: Type.Array(Type.Object({ permission: Type.String(), description: Type.String() })),
  routes: Type.Integer({ description: 'How many routes it brings' }),
});
export type PluginView = Static<typeof Plugin>;

/** A plugin as one tenant has it, with the last choice that was made. */
export const TenantPlugin = Type.Object({
  ...facts,
  tenant: Type.String({ description: 'Alias of the tenant' }),
  changed_by: Nullable(Type.String()),
  changed_at: Nullable(Timestamp),
});
export type TenantPluginView = Static<typeof TenantPlugin>;

export const listPlugins = endpoint({
  id: 'platform.list_plugins',
  method: 'GET',
  path: '/plugins',
  summary: 'List the plugins and whether the tenant has them',
  access: mayLook,
  response: Page(Plugin),
  cli: 'plugins list',
});

export const listTenantPlugins = endpoint({
  id: 'platform.list_tenant_plugins',
  method: 'GET',
  path: '/tenants/:alias/plugins',
  summary: 'List the plugins of any tenant',
  access: manage,
  params: Type.Object({ alias: Alias }),
  response: Page(TenantPlugin),
  errors: [kernelProblems.notFound],
});

export const setTenantPlugin = endpoint({
  id: 'platform.set_tenant_plugin',
  method: 'PUT',
  path: '/tenants/:alias/plugins/:plugin_id',
  summary: 'Give a plugin to a tenant, or take it away',
  description:
    'Without the plugin its routes answer 403 plugin_disabled for this tenant, and its queued work stops before it reads or writes. Other API processes follow within five seconds.',
  access: manage,
  params: Type.Object({ alias: Alias, plugin_id: PluginId }),
  body: Closed({ enabled: Type.Boolean() }),
  example: { enabled: true },
  response: TenantPlugin,
  errors: [kernelProblems.notFound, platformProblems.pluginNotOptional],
});
