import { type Check, check, type Lane } from './lane.ts';
import { claimsOf, deviceTokens, directToken, exchanged, serviceToken } from './people.ts';
import type { Keycloak } from './start-keycloak.ts';

const DIRECT = 'lane-direct';
const NO_AUDIENCE = 'lane-no-audience';
const MAY = '400 validation_failed';

/** Adds the clients that no real realm has: people give their password to them. */
export async function addLaneClients({ admin }: Keycloak): Promise<void> {
  const [model] = (await admin('GET', '/clients?clientId=weir-service')) as { protocolMappers: { name: string }[] }[];
  const audience = model?.protocolMappers.find(({ name }) => name === 'weir-api');
  const { id: _id, ...mapper } = audience as { id?: string };
  const client = { publicClient: true, directAccessGrantsEnabled: true, standardFlowEnabled: false };
  await admin('POST', '/clients', { ...client, clientId: DIRECT, protocolMappers: [mapper] });
  await admin('POST', '/clients', { ...client, clientId: NO_AUDIENCE });
}

const access = async ({ keycloak }: Lane, user: string, options = {}) =>
  (await deviceTokens(keycloak, user, options)).access;
const organizationsOf = (token: string) => JSON.stringify(sorted(claimsOf(token).organization));
const sorted = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value);

const organizations: Check[] = [
  check('organization:*, a member of one: the claim', '["acme"]', async (lane) =>
    organizationsOf(await access(lane, 'ann')),
  ),
  check('and it reads without naming the tenant', '200', async (lane) => lane.read(await access(lane, 'ann'))),
  check('organization:*, a member of two: the claim', '["acme","other"]', async (lane) =>
    organizationsOf(await access(lane, 'bo')),
  ),
  check('it has to name the tenant', '400 tenant_header_required', async (lane) => lane.read(await access(lane, 'bo'))),
  check('it reads each of the two and no third', '200, 200, 403 tenant_not_allowed', async (lane) => {
    const token = await access(lane, 'bo');
    const seen = [];
    for (const tenant of ['acme', 'other', 'third']) seen.push(await lane.read(token, tenant));
    return seen.join(', ');
  }),
  check('organization:acme, a member of two: that one', '["acme"]', async (lane) =>
    organizationsOf(await access(lane, 'bo', { scope: 'openid organization:acme' })),
  ),
  check('plain organization, a member of two, one chosen in the browser: that one', '["other"]', async (lane) =>
    organizationsOf(await access(lane, 'bo', { scope: 'openid organization', organization: 'other' })),
  ),
  check(
    'plain organization, a member of two, nothing to choose in: no claim, no tenant',
    'undefined, 403 tenant_not_allowed',
    async (lane) => {
      const token = await directToken(lane.keycloak, DIRECT, 'bo', 'organization');
      return `${organizationsOf(token)}, ${await lane.read(token, 'acme')}`;
    },
  ),
  check('a member of none is let into no tenant', '403 tenant_not_allowed', async (lane) =>
    lane.read(await access(lane, 'nomad'), 'acme'),
  ),
  check('the claim as an object, with ids, is read alike', 'object, 200', async (lane) => {
    await withOrganizationIds(lane.keycloak);
    const token = await access(lane, 'ann');
    const claim = claimsOf(token).organization;
    return `${Array.isArray(claim) ? 'array' : typeof claim}, ${await lane.read(token, 'acme')}`;
  }),
];

/** Lets the claim be an object with ids. */
async function withOrganizationIds({ admin }: Keycloak): Promise<void> {
  type Mapper = { id: string; protocolMapper: string; config: Record<string, string> };
  const scopes = (await admin('GET', '/client-scopes')) as { id: string; name: string; protocolMappers?: Mapper[] }[];
  const scope = scopes.find(({ name }) => name === 'organization');
  const mapper = scope?.protocolMappers?.find(({ protocolMapper }) => protocolMapper.includes('organization'));
  if (scope === undefined || mapper === undefined) throw new Error('the realm has no scope organization');
  const changed = { ...mapper, config: { ...mapper.config, addOrganizationId: 'true' } };
  await admin('PUT', `/client-scopes/${scope.id}/protocol-mappers/models/${mapper.id}`, changed);
}

const roles: Check[] = [
  check('a realm role holds in the tenant: viewer reads, changes nothing', '200, 403 forbidden_role', async (lane) => {
    const token = await access(lane, 'vic');
    return `${await lane.read(token)}, ${await lane.change(token)}`;
  }),
  check('admin changes', MAY, async (lane) => lane.change(await access(lane, 'ann'))),
  check('tenant_roles: viewer in one tenant, admin in the other', `403 forbidden_role, ${MAY}`, async (lane) => {
    const token = await access(lane, 'bo');
    return `${await lane.change(token, 'acme')}, ${await lane.change(token, 'other')}`;
  }),
];

const REFUSED = '401 unauthenticated';
const refused: Check[] = [
  check('an ID token', REFUSED, async (lane) => lane.read((await deviceTokens(lane.keycloak, 'ann')).id, 'acme')),
  check('a refresh token', REFUSED, async (lane) =>
    lane.read((await deviceTokens(lane.keycloak, 'ann')).refresh, 'acme'),
  ),
  check('an access token for another audience', REFUSED, async (lane) =>
    lane.read(await directToken(lane.keycloak, NO_AUDIENCE, 'ann', 'organization:*'), 'acme'),
  ),
  check('an access token with one letter changed', REFUSED, async (lane) => {
    const [head, claims, signature = ''] = (await access(lane, 'ann')).split('.');
    const other = signature.startsWith('A') ? 'B' : 'A';
    return lane.read([head, claims, `${other}${signature.slice(1)}`].join('.'), 'acme');
  }),
];

const programs: Check[] = [
  check('a service account reads its tenant, and no other', '200, 403 tenant_not_allowed', async (lane) => {
    const token = await serviceToken(lane.keycloak);
    return `${await lane.read(token, 'acme')}, ${await lane.read(token, 'other')}`;
  }),
  check('it has to name the tenant', '400 tenant_header_required', async (lane) =>
    lane.read(await serviceToken(lane.keycloak)),
  ),
  check('it changes what its capability is for', MAY, async (lane) =>
    lane.change(await serviceToken(lane.keycloak), 'acme'),
  ),
  check(
    'token exchange, the program is not in the audience of the token: none',
    'access_denied',
    async ({ keycloak }) =>
      String((await exchanged(keycloak, await directToken(keycloak, DIRECT, 'ann', 'organization:*'))).error),
  ),
  check('token exchange: who acts, and for whom', 'weir-assistant, bo, weir-api', async (lane) => {
    const { azp, preferred_username, aud } = claimsOf(await delegated(lane, 'bo'));
    return [azp, preferred_username, aud].flat().join(', ');
  }),
  check('it reads the tenants of both, the person and the program', '200, 403 tenant_not_allowed', async (lane) => {
    const token = await delegated(lane, 'bo');
    return `${await lane.read(token, 'acme')}, ${await lane.read(token, 'other')}`;
  }),
  check('and changes only what both may', '403 forbidden_role, 403 capability_required', async (lane) =>
    [
      await lane.change(await delegated(lane, 'bo'), 'acme'),
      await lane.change(await delegated(lane, 'ann'), 'acme'),
    ].join(', '),
  ),
];

const delegated = async (lane: Lane, user: string): Promise<string> =>
  String((await exchanged(lane.keycloak, await access(lane, user))).access_token);

/** Real tokens of every kind, and what the API makes of each. */
export const tokenChecks: readonly Check[] = [...organizations, ...roles, ...refused, ...programs];
