import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  kernelProblems,
  listQuery,
  Page,
  platformPermission,
  Timestamp,
} from '@weir/kernel/contract';
import { Alias, PluginId } from './plugins.ts';
import { platformProblems } from './problems.ts';

const manage = platformPermission('tenants:manage', { people: true });

const MAX_ALIAS = 63;
/** What an alias may be; the database holds to it too. */
export const TENANT_ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const Tenant = Type.Object({
  tenant_id: Id,
  alias: Type.String({ description: 'Alias of the tenant' }),
  scope: Type.String({ description: 'Middle part of the ids of its datasets' }),
  created_at: Timestamp,
});
export type TenantView = Static<typeof Tenant>;

/** `POST /tenants` */
export const createTenant = endpoint({
  id: 'platform.create_tenant',
  method: 'POST',
  path: '/tenants',
  summary: 'Make a tenant',
  description:
    'The tenant has the alias for ever, and a scope that is made of it. Its people are those of the organization of that name at the identity provider. Processes that were asked for the alias before see the tenant within five seconds.',
  access: manage,
  body: Closed({
    alias: Type.String({
      ...{ minLength: 1, maxLength: MAX_ALIAS },
      description: 'Letters, digits, - and _, beginning with a letter or a digit; acme and Acme are two tenants',
    }),
    plugins: Type.Optional(
      Type.Array(PluginId, { uniqueItems: true, maxItems: 50, description: 'Opt-in plugins that it gets' }),
    ),
  }),
  example: { alias: 'northwind' },
  response: Tenant,
  status: 201,
  location: '/tenants/:alias',
  errors: [platformProblems.tenantAliasInvalid, platformProblems.tenantAliasTaken, platformProblems.pluginNotOptional],
});

/** `GET /tenants` */
export const listTenants = endpoint({
  id: 'platform.list_tenants',
  method: 'GET',
  path: '/tenants',
  summary: 'List all tenants',
  description: 'Those of the caller alone are in `GET /me`. A tenant that was switched off is not listed.',
  access: manage,
  query: listQuery(['alias'], {}),
  response: Page(Tenant),
  errors: [kernelProblems.invalidPageToken],
});

/** `GET /tenants/{alias}` */
export const getTenant = endpoint({
  id: 'platform.get_tenant',
  method: 'GET',
  path: '/tenants/:alias',
  summary: 'Read one tenant',
  access: manage,
  params: Type.Object({ alias: Alias }),
  response: Tenant,
  errors: [kernelProblems.notFound],
});
