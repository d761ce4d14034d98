import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type KeySetOptions, providerKeys } from '../src/keys.ts';
import type { TokenRules } from '../src/verify-token.ts';

/** The key that the provider of these tests publishes as `k1`. */
export const pair = await generateKeyPair('RS256', { extractable: true });
export const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
export const silent = { warn() {} };
export const ROLES = ['viewer', 'pipeline_editor', 'admin'] as const;
type Role = (typeof ROLES)[number];

interface Teardown {
  teardown(close: () => unknown): void;
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

/** A server on loopback, which ends with the test. */
export async function listening(t: Teardown, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A provider on loopback whose health the test controls, and which counts how often its keys are asked for. */
export async function provider(t: Teardown) {
  const state = { down: false, reads: 0 };
  const issuer = await listening(t, (request, response) => {
    if (state.down) state.reads += 1;
    if (state.down) return response.writeHead(503).end();
    if (request.url !== '/keys') return response.end(JSON.stringify({ jwks_uri: `${issuer}/keys` }));
    state.reads += 1;
    return response.end(JSON.stringify({ keys: [jwk] }));
  });
  return { issuer, state };
}

/** What the tests hold tokens to: a service `loader`, and a client `portal` that acts for people of `acme`. */
export const rulesFor = (issuer: string, options: Partial<KeySetOptions> = {}): TokenRules<Role> => ({
  issuer,
  audience: 'weir-api',
  organizationClaim: 'organization',
  tenantRoles: ROLES,
  platformAdminRole: 'platform_admin',
  services: new Map([['loader', { tenants: ['acme'], capabilities: ['source:write'] }]]),
  serviceMarks: [{ sub: '{client}' }, { preferred_username: 'service-account-{client}' }],
  delegations: new Map([['portal', { tenants: ['acme'], capabilities: ['source:write'] }]]),
  keys: providerKeys({ providerUrl: issuer, log: silent, ...options }),
});

/** Claims that pass. */
export const good = (issuer: string): JWTPayload => ({
  iss: issuer,
  aud: 'weir-api',
  sub: 'ada',
  azp: 'weir-cli',
  typ: 'Bearer',
  organization: ['acme'],
  realm_access: { roles: ['admin'] },
});

/** A token of five minutes, signed by the provider unless another key is given. */
export const sign = (
  claims: JWTPayload,
  header: object = {},
  key: Parameters<SignJWT['sign']>[0] = pair.privateKey,
): Promise<string> =>
  new SignJWT({ iat: seconds(), exp: seconds() + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .sign(key);
