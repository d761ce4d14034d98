import fc from 'fast-check';
import t from 'tap';
import { authorize } from '../src/auth/authorize.ts';
import { anyone, permission, platformPermission, type TenantRole } from '../src/contract/access.ts';
import type { KnownPrincipal, Principal, Tenant } from '../src/contract/caller.ts';
import { Problem } from '../src/contract/problem.ts';
import { kernelProblems } from '../src/contract/problems.ts';
import { resolveTenant, tenantsOf } from '../src/tenancy/resolve-tenant.ts';

const tenant = (alias: string): Tenant => ({ tenantId: `id-${alias}`, alias, scope: alias });
const known = ['acme', 'other'];
const tenants = { byAlias: async (alias: string) => (known.includes(alias) ? tenant(alias) : undefined) };
const user = (organizations: string[], realmRoles: string[] = ['viewer']): Principal => ({
  kind: 'user',
  subject: 'u',
  client: 'c',
  organizations,
  realmRoles,
});
const delegation = (realmRoles: string[], capabilities: string[]): Principal => ({
  ...{ kind: 'delegation', subject: 'u', client: 'ui', organizations: ['acme'] },
  ...{ realmRoles, capabilities },
});
const apiToken = (role: TenantRole): Principal => ({
  ...{ kind: 'api_token', subject: 'u', client: 'api-token:1', organizations: ['acme'], role },
});
const service = (tenants: string[] | '*'): Principal => ({
  kind: 'service',
  subject: 's',
  client: 's',
  tenants,
  capabilities: ['source:write'],
});
const read = permission('sources:read', 'viewer');
const strict = permission('ontology:read', 'viewer', { tenantHeader: 'users' });

const outcome = async (...args: Parameters<typeof resolveTenant>): Promise<string> => {
  try {
    return (await resolveTenant(...args))?.alias ?? 'none';
  } catch (error) {
    return error instanceof Problem ? error.code : 'not a problem';
  }
};

t.test('the tenant is resolved by the table of the security design', async (t) => {
  const cases: [string, Parameters<typeof resolveTenant>, string][] = [
    ['one organization, no header', [read, user(['acme']), [], tenants], 'acme'],
    ['two organizations, no header', [read, user(['acme', 'other']), [], tenants], 'tenant_header_required'],
    ['no organization', [read, user([]), [], tenants], 'tenant_not_allowed'],
    ['header names one of them', [read, user(['acme', 'other']), ['other'], tenants], 'other'],
    ['header names a foreign one', [read, user(['acme']), ['other'], tenants], 'tenant_not_allowed'],
    ['header names none that exists', [read, user(['acme']), ['nowhere'], tenants], 'tenant_not_allowed'],
    ['in the token but unknown here', [read, user(['ghost']), ['ghost'], tenants], 'tenant_not_allowed'],
    ['header repeated', [read, user(['acme']), ['acme', 'acme'], tenants], 'tenant_header_invalid'],
    ['header with spaces', [read, user(['acme']), [' acme'], tenants], 'tenant_header_invalid'],
    ['header in other case', [read, user(['acme']), ['ACME'], tenants], 'tenant_not_allowed'],
    ['header demanded by the route', [strict, user(['acme']), [], tenants], 'tenant_header_required'],
    ['service without header', [read, service(['acme']), [], tenants], 'tenant_header_required'],
    ['service with its tenant', [read, service(['acme']), ['acme'], tenants], 'acme'],
    ['service with another tenant', [read, service(['acme']), ['other'], tenants], 'tenant_not_allowed'],
    ['service of all tenants', [read, service('*'), ['other'], tenants], 'other'],
    ['delegation without header', [read, delegation(['viewer'], []), [], tenants], 'acme'],
    ['delegation beyond its client', [read, delegation(['viewer'], []), ['other'], tenants], 'tenant_not_allowed'],
    ['API token without header', [read, apiToken('viewer'), [], tenants], 'acme'],
    ['API token of another tenant', [read, apiToken('viewer'), ['other'], tenants], 'tenant_not_allowed'],
    ['header demanded of an API token', [strict, apiToken('viewer'), [], tenants], 'tenant_header_required'],
    ['header left out by a service', [strict, service(['acme']), [], tenants], 'none'],
    ['header left out by a delegation', [strict, delegation(['viewer'], []), [], tenants], 'none'],
    ['public route', [anyone, { kind: 'anonymous' }, ['acme'], tenants], 'none'],
  ];
  for (const [name, args, expected] of cases) t.equal(await outcome(...args), expected, name);
});

t.test('a client that names no tenant → those that admit it, or the refusal of the first', async (t) => {
  const all = { ...tenants, list: async () => ['other', 'acme'].map(tenant) };
  const admitting =
    (aliases: string[]) =>
    async ({ alias }: Tenant) => {
      if (!aliases.includes(alias))
        throw alias === 'acme' ? kernelProblems.pluginDisabled() : kernelProblems.forbiddenRole();
    };
  const found = async (principal: Principal, aliases: string[]) => {
    const own = tenantsOf(principal as KnownPrincipal, all, admitting(aliases));
    return own.then(
      (tenants) => tenants.map(({ alias }) => alias),
      (error: Problem) => error.code,
    );
  };
  t.strictSame(await found(service('*'), ['other', 'acme']), ['acme', 'other']);
  t.strictSame(await found(service(['other', 'acme', 'ghost']), ['other']), ['other']);
  t.strictSame(await found(service('*'), []), 'plugin_disabled');
  t.strictSame(await found(service([]), ['acme']), 'tenant_not_allowed');
  t.strictSame(await found(delegation(['viewer'], []), ['acme', 'other']), ['acme']);
  const lost = tenantsOf(service('*') as KnownPrincipal, all, async () => Promise.reject(new Error('lost')));
  await t.rejects(lost, { message: 'lost' }, 'a lost database refuses nothing');
});

t.test('a user never reaches a tenant that is not in the token, whatever the header says', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(known),
      fc.array(fc.oneof(fc.constantFrom(...known), fc.string()), { maxLength: 2 }),
      async (organizations, header) => {
        const found = await outcome(read, user(organizations), header, tenants);
        return organizations.includes(found) || !known.includes(found);
      },
    ),
  );
  t.pass('holds');
});

t.test(
  'roles rank within a tenant; services go by capability, delegations by both; platform routes ask for platform_admin',
  async (t) => {
    const write = permission('sources:write', 'pipeline_editor', { capability: 'source:write' });
    const code = (...args: Parameters<typeof authorize>) => authorize(...args)?.code ?? 'allowed';
    const acme = tenant('acme');
    t.equal(code(write, user(['acme'], ['viewer']), acme), 'forbidden_role');
    t.equal(code(write, user(['acme'], ['pipeline_editor']), acme), 'allowed');
    t.equal(code(write, user(['acme'], ['admin']), acme), 'allowed');
    t.equal(code(write, user(['acme'], ['platform_admin']), acme), 'forbidden_role', 'not implied');
    t.equal(code(write, user(['acme'], []), acme), 'forbidden_role');
    t.equal(code(write, user(['acme'], ['root']), acme), 'forbidden_role', 'unknown roles are ignored');
    t.equal(code(write, service(['acme']), acme), 'allowed');
    t.equal(code(read, service(['acme']), acme), 'allowed', 'a service may what any viewer may');
    t.equal(code(permission('policies:read', 'admin'), service('*'), acme), 'person_required');
    t.equal(code(platformPermission('platform:read'), service('*'), undefined), 'person_required');
    t.equal(code(permission('policies:read', 'admin'), delegation(['admin'], []), acme), 'person_required');
    t.equal(code(write, delegation(['admin'], ['source:write']), acme), 'allowed');
    t.equal(code(write, delegation(['admin'], []), acme), 'capability_required', 'the client was not given it');
    t.equal(code(write, delegation(['viewer'], ['source:write']), acme), 'forbidden_role', 'the person may not');
    t.equal(code(read, delegation(['viewer'], []), acme), 'allowed');
    const own = permission('tokens:write', 'viewer', { people: true });
    const holder = delegation(['admin', 'platform_admin'], ['source:write']);
    t.equal(code(own, holder, acme), 'person_required', 'whatever the client was given');
    t.equal(code(own, service(['acme']), acme), 'person_required');
    t.equal(code(own, user(['acme'], ['viewer']), acme), 'allowed');
    t.equal(code(own, apiToken('viewer'), acme), 'allowed');
    t.equal(code(platformPermission('tenants:manage', { people: true }), holder, undefined), 'person_required');
    t.equal(code(write, apiToken('pipeline_editor'), acme), 'allowed');
    t.equal(code(write, apiToken('viewer'), acme), 'forbidden_role');
    t.equal(code(read, apiToken('admin'), tenant('other')), 'forbidden_role');
    t.equal(code(platformPermission('platform:read'), apiToken('admin'), undefined), 'forbidden_role');
    t.equal(code(platformPermission('platform:read'), user(['acme'], ['admin']), undefined), 'forbidden_role');
    t.equal(code(platformPermission('platform:read'), user([], ['platform_admin']), undefined), 'allowed');
    const perTenant: Principal = {
      ...(user(['acme', 'other'], ['admin']) as Extract<Principal, { kind: 'user' }>),
      tenantRoles: { acme: ['viewer'] },
    };
    t.equal(code(write, perTenant, acme), 'forbidden_role', 'per-tenant roles win over the realm');
    t.equal(code(read, perTenant, tenant('other')), 'forbidden_role');
  },
);
