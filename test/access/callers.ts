import { type Role, TENANT_ROLES } from '@weir/kernel/contract';
import type { TestPlatform } from '../platform.ts';
import { SIGN_WITH } from './ask.ts';
import type { Facts } from './decision.ts';

/** Clients that the platform of the matrix knows: services, and those that act for people. */
const SERVICE_CLIENT = 'robot';
const POWERLESS_SERVICE = 'idler';
const FOREIGN_SERVICE = 'stranger';
const PORTAL = 'portal';
const POWERLESS_PORTAL = 'window';

/** The settings that name the clients, once it is known which capabilities the routes ask for. */
export function clientSettings(capabilities: readonly string[]) {
  const client = (tenants: readonly string[] | '*', given: readonly string[] = capabilities) => ({
    tenants,
    capabilities: given,
  });
  return {
    WEIR_SERVICE_PRINCIPALS: JSON.stringify({
      [SERVICE_CLIENT]: client('*'),
      [POWERLESS_SERVICE]: client(['acme'], []),
      [FOREIGN_SERVICE]: client(['other']),
    }),
    WEIR_DELEGATION_CLIENTS: JSON.stringify({ [PORTAL]: client(['acme']), [POWERLESS_PORTAL]: client('*', []) }),
  };
}

/** The permissions of webhooks with the settings that hold their secrets. */
const WEBHOOKS: readonly [permission: string, setting: string][] = [
  ['patterns:register', 'PATTERN_WEBHOOK_SECRET'],
  ['patterns:reconcile', 'PATTERN_ADMIN_SECRET'],
];

/** The secrets of the platform of the matrix. */
export const webhookSecrets = Object.fromEntries(WEBHOOKS.map(([, name]) => [name, `secret of the matrix: ${name}`]));

/** Somebody who calls: what they send, and what the decision table must know of them. */
export interface MatrixCaller {
  name: string;
  headers: Record<string, string>;
  facts: Facts;
  /** Whether they ask every route, for the ids of others too, or one of each access that is declared. */
  curious: boolean;
}

/** One of each kind of caller and of each role; the rest differ from one of these in what the tenant is. */
const CURIOUS: ReadonlySet<string> = new Set([
  ...[
    'anonymous',
    'bad token',
    'webhook patterns:register',
    'webhook patterns:reconcile',
    ...TENANT_ROLES,
    'platform_admin',
    'nobody',
    'admin of two without header',
  ],
  'person who left out the scopes of login and organization',
  ...['service robot', 'service idler', 'delegation of a admin', 'delegation without capabilities'],
  'API token of a pipeline_editor',
]);

interface Person {
  roles: readonly Role[];
  organizations?: readonly string[];
  /** The header; `undefined` sends none. */
  header?: string | undefined;
  claims?: Record<string, unknown>;
  capabilities?: readonly string[];
  /** Of the token, when they differ from what counts in the tenant. */
  realmRoles?: readonly string[];
}

/** Everybody whom the matrix lets call tenant `acme`; API tokens are made by `tokenOf`. */
export async function matrixCallers(
  { issuer }: Pick<TestPlatform, 'issuer'>,
  { capabilities, tokenOf }: { capabilities: readonly string[]; tokenOf(role: Role): Promise<string> },
): Promise<MatrixCaller[]> {
  const callers: Omit<MatrixCaller, 'curious'>[] = [
    { name: 'anonymous', headers: {}, facts: { credential: 'none', organizations: [], roles: [] } },
    { name: 'bad token', ...sent('abc'), facts: { credential: 'bad', organizations: [], roles: [] } },
    ...WEBHOOKS.map(([webhook, name]) => ({
      name: `webhook ${webhook}`,
      headers: { [SIGN_WITH]: webhookSecrets[name] ?? '' },
      facts: { credential: 'none' as const, webhook, organizations: [], roles: [] },
    })),
  ];
  const person = async (name: string, who: Person) => {
    const { roles, organizations = ['acme'], claims, realmRoles = roles } = who;
    const header = 'header' in who ? who.header : 'acme';
    const user = { subject: `${name}@acme`.replaceAll(' ', '-'), organizations: [...organizations] };
    const token = await issuer.userToken({ ...user, roles: [...realmRoles], ...(claims ? { claims } : {}) });
    const reached = claims?.azp === PORTAL ? organizations.filter((alias) => alias === 'acme') : organizations;
    callers.push({
      name,
      ...sent(token, header),
      facts: good({ header, subject: user.subject, organizations: reached, roles, ...only(who) }),
    });
  };
  for (const role of [...TENANT_ROLES, 'platform_admin'] as const) await person(role, { roles: [role] });
  await person('nobody', { roles: [] });
  await person('unknown role', { roles: [], realmRoles: ['root', 'Admin'] });
  await person('admin without header', { roles: ['admin'], header: undefined });
  const two = ['acme', 'other'];
  await person('admin of two', { roles: ['admin'], organizations: two });
  await person('admin of two without header', { roles: ['admin'], organizations: two, header: undefined });
  await person('admin of none', { roles: ['admin'], organizations: [], header: undefined });
  for (const header of ['other', 'nowhere', 'ACME', 'ac me', 'acme, acme'])
    await person(`admin with header ${header}`, { roles: ['admin'], header });
  const tenant_roles = { acme: ['viewer'], other: ['admin'] };
  await person('viewer here, admin there', { roles: ['viewer'], realmRoles: ['admin'], claims: { tenant_roles } });
  for (const role of TENANT_ROLES)
    await person(`delegation of a ${role}`, { roles: [role], claims: { azp: PORTAL }, capabilities });
  const powerless = { claims: { azp: POWERLESS_PORTAL }, capabilities: [] };
  await person('delegation without capabilities', { roles: ['admin', 'platform_admin'], ...powerless });
  await person('delegation beyond its client', {
    ...{ roles: ['admin'], organizations: two, header: 'other' },
    ...{ claims: { azp: PORTAL }, capabilities },
  });
  await person('person who left out the scopes of login and organization', {
    ...{ roles: ['viewer'], organizations: [] },
    claims: { azp: SERVICE_CLIENT, organization: undefined },
  });
  await person('person whose scopes claim what a service may', {
    ...{ roles: ['viewer'], organizations: [] },
    claims: { azp: SERVICE_CLIENT, organization: undefined, sid: 's', scope: capabilities.join(' '), capabilities },
  });
  await person('person of one organization by the client of a service', {
    roles: ['viewer'],
    claims: { azp: SERVICE_CLIENT, sid: 's', scope: capabilities.join(' ') },
  });
  callers.push(...(await services(issuer, capabilities)));
  for (const role of TENANT_ROLES)
    for (const header of [undefined, 'acme', 'other'])
      callers.push({
        name: `API token of a ${role}${header === undefined ? '' : ` with header ${header}`}`,
        ...sent(await tokenOf(role), header),
        facts: good({ header, subject: 'admin@acme', organizations: ['acme'], roles: [role] }),
      });
  return callers.map((caller) => ({ ...caller, curious: CURIOUS.has(caller.name) }));
}

async function services(issuer: TestPlatform['issuer'], capabilities: readonly string[]) {
  const service = async (client: string, header: string | undefined, given: readonly string[], to: string[]) => ({
    name: `service ${client}${header === 'acme' ? '' : ` with header ${header ?? 'none'}`}`,
    ...sent(await issuer.serviceToken(client), header),
    facts: good({ header, organizations: to, roles: [], capabilities: given, service: true as const }),
  });
  const account = {
    azp: SERVICE_CLIENT,
    organization: undefined,
    preferred_username: `service-account-${SERVICE_CLIENT}`,
  };
  const byLogin = await issuer.userToken({ subject: 'uuid', organizations: [], roles: ['admin'], claims: account });
  return Promise.all([
    service(SERVICE_CLIENT, 'acme', capabilities, ['acme', 'other']),
    service(SERVICE_CLIENT, 'acme', capabilities, ['acme', 'other']).then((known) => ({
      ...known,
      name: `${known.name} by its login`,
      ...sent(byLogin, 'acme'),
    })),
    service(SERVICE_CLIENT, undefined, capabilities, ['acme', 'other']),
    service(SERVICE_CLIENT, 'nowhere', capabilities, ['acme', 'other']),
    service(POWERLESS_SERVICE, 'acme', [], ['acme']),
    service(FOREIGN_SERVICE, 'acme', capabilities, ['other']),
  ]);
}

const only = ({ capabilities }: Person) => (capabilities === undefined ? {} : { capabilities });

const good = ({ header, ...facts }: Omit<Facts, 'credential' | 'header'> & { header: string | undefined }): Facts => ({
  credential: 'good',
  ...facts,
  ...(header === undefined ? {} : { header }),
});

const sent = (token: string, header?: string) => ({
  headers: { authorization: `Bearer ${token}`, ...(header === undefined ? {} : { 'x-tenant-id': header }) },
});
