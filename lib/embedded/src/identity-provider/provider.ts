import { randomBytes } from 'node:crypto';
import { type Configuration, Provider } from 'oidc-provider';
import { API_AUDIENCE, CLI_CLIENT, SERVICE_CLIENT, SERVICE_CLIENT_SECRET, UI_CLIENT } from './demo-users.ts';
import { askWho, devicePages, renderError, serveInteractions } from './interactions.ts';
import { type ApiResource, registerPasswordGrant } from './password-grant.ts';
import type { People } from './people.ts';
import { tokenClaims } from './token-claims.ts';

/** Tokens without a browser, for a working day: `weir dev up` makes a new one at each start. */
const DAY_S = 24 * 60 * 60;
/** Tokens of people who signed in live as shortly as elsewhere, so that development meets their renewal. */
const TOKEN_LIFETIME_S = 15 * 60;
const DEVICE_CODE_LIFETIME_S = 10 * 60;
const COOKIE_KEY_BYTES = 32;
const SCOPES = ['openid', 'weir'];

/** The API as a resource indicator, which RFC 8707 wants to be a URI; tokens carry the plain audience. */
const API: ApiResource = {
  indicator: 'urn:weir:api',
  info: { scope: SCOPES.join(' '), audience: API_AUDIENCE, accessTokenFormat: 'jwt' },
};

/** Where pages of this machine come from. */
const LOOPBACK = ['127.0.0.1', 'localhost'];

const CLIENTS: Configuration['clients'] = [
  {
    client_id: CLI_CLIENT,
    client_name: 'Weir',
    token_endpoint_auth_method: 'none',
    grant_types: ['password', 'urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    redirect_uris: [],
    response_types: [],
  },
  {
    client_id: UI_CLIENT,
    client_name: 'Weir',
    token_endpoint_auth_method: 'none',
    // The port of a loopback address does not count for a native client (RFC 8252, section 7.3).
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: LOOPBACK.map((host) => `http://${host}/signed-in`),
    response_types: ['code'],
  },
  {
    client_id: SERVICE_CLIENT,
    client_secret: SERVICE_CLIENT_SECRET,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  },
];

/**
 * The development identity provider: access tokens are JWTs for the API in Keycloak's claim layout. People are the demo
 * users and those who were added, who sign in by name alone: by the device flow, or by a `password` grant without a password. Refresh tokens are
 * used once each. Loopback only.
 */
export function developmentProvider(
  issuer: string,
  jwks: { keys: Record<string, unknown>[] },
  people: People,
): Provider {
  const provider: Provider = new Provider(issuer, {
    jwks: jwks as never,
    clients: CLIENTS,
    scopes: SCOPES,
    // Sessions are in memory too: neither outlives the process.
    cookies: { keys: [randomBytes(COOKIE_KEY_BYTES).toString('base64url')] },
    ttl: {
      AccessToken: TOKEN_LIFETIME_S,
      ClientCredentials: DAY_S,
      DeviceCode: DEVICE_CODE_LIFETIME_S,
      Grant: DAY_S,
      IdToken: TOKEN_LIFETIME_S,
      Interaction: DEVICE_CODE_LIFETIME_S,
      RefreshToken: DAY_S,
      Session: DAY_S,
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: devicePages,
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API.indicator,
        useGrantedResource: () => true,
        getResourceServerInfo: () => API.info,
      },
    },
    pkce: { required: () => true },
    // The pages call the token endpoint themselves; it is reached by this machine alone.
    clientBasedCORS: (_context, origin, client) =>
      client.clientId === UI_CLIENT && LOOPBACK.includes(new URL(origin).hostname),
    interactions: { policy: askWho() },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope('openid');
      grant.addResourceScope(API.indicator, API.info.scope);
      await grant.save();
      return grant;
    },
    findAccount: (_context, name) =>
      people.named(name) === undefined ? undefined : { accountId: name, claims: () => ({ sub: name }) },
    extraTokenClaims: (_context, token) =>
      tokenClaims(token.clientId, 'accountId' in token ? people.named(token.accountId as string) : undefined),
    renderError,
  });
  serveInteractions(provider, people);
  registerPasswordGrant(provider, { api: API, userNamed: people.named, lifetimeS: DAY_S });
  return provider;
}
