import { Provider } from 'oidc-provider';
import {
  API_AUDIENCE,
  CLI_CLIENT,
  DEMO_USERS,
  type DemoUser,
  SERVICE_CLIENT,
  SERVICE_CLIENT_SECRET,
} from './demo-users.ts';

/** Tokens of a working day: `weir dev up` makes a new one at each start. */
const TOKEN_LIFETIME_S = 24 * 60 * 60;
/** The API as a resource indicator, which RFC 8707 wants to be a URI; tokens carry the plain audience. */
const API_RESOURCE = 'urn:weir:api';
const SCOPES = ['openid', 'weir'];

const API = {
  scope: SCOPES.join(' '),
  audience: API_AUDIENCE,
  accessTokenFormat: 'jwt',
  accessTokenTTL: TOKEN_LIFETIME_S,
} as const;

const userNamed = (name: string | undefined): DemoUser | undefined => DEMO_USERS.find((user) => user.name === name);

/**
 * The development identity provider: access tokens are JWTs for the API in Keycloak's claim layout. People are the demo
 * users, who sign in by name alone; a `password` grant without a password gives the CLI its token. Loopback only.
 */
export function developmentProvider(issuer: string, jwks: { keys: Record<string, unknown>[] }): Provider {
  const provider = new Provider(issuer, {
    jwks: jwks as never,
    clients: [
      {
        client_id: CLI_CLIENT,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['password', 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: SERVICE_CLIENT,
        client_secret: SERVICE_CLIENT_SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: SCOPES,
    cookies: { keys: [jwks.keys[0]?.kid as string] },
    ttl: { Grant: TOKEN_LIFETIME_S, AccessToken: TOKEN_LIFETIME_S, ClientCredentials: TOKEN_LIFETIME_S },
    features: {
      devInteractions: { enabled: true },
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API_RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => API,
      },
    },
    findAccount: (_context, name) =>
      userNamed(name) === undefined ? undefined : { accountId: name, claims: () => ({ sub: name }) },
    extraTokenClaims: (_context, token) => {
      const user = 'accountId' in token ? userNamed(token.accountId as string) : undefined;
      const client = { azp: token.clientId, typ: 'Bearer' };
      if (user === undefined) return client;
      const { name, organizations, roles } = user;
      return {
        ...client,
        preferred_username: name,
        organization: [...organizations],
        realm_access: { roles: [...roles] },
      };
    },
  });
  registerPasswordGrant(provider);
  return provider;
}

/** `grant_type=password&username=…`: the development way to a token without a browser. */
function registerPasswordGrant(provider: Provider): void {
  const { AccessToken, Grant, ResourceServer } = provider as unknown as ProviderModels;
  provider.registerGrantType(
    'password',
    async (context) => {
      const { client, params } = context.oidc;
      const user = userNamed(params?.username as string | undefined);
      if (user === undefined || client === undefined) {
        context.status = 400;
        context.body = { error: 'invalid_grant', error_description: 'no such demo user' };
        return;
      }
      const grant = new Grant({ accountId: user.name, clientId: client.clientId });
      grant.addResourceScope(API_RESOURCE, SCOPES.join(' '));
      const token = new AccessToken({
        client,
        accountId: user.name,
        grantId: await grant.save(),
        gty: 'password',
        scope: SCOPES.join(' '),
      });
      token.resourceServer = new ResourceServer(API_RESOURCE, API);
      context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: TOKEN_LIFETIME_S };
    },
    ['username', 'password'],
  );
}

/** The provider's models as grants use them; the package's types leave their constructors out. */
interface ProviderModels {
  AccessToken: new (properties: object) => { resourceServer: unknown; save(): Promise<string> };
  Grant: new (
    properties: object,
  ) => { addResourceScope(resource: string, scope: string): void; save(): Promise<string> };
  ResourceServer: new (identifier: string, info: object) => object;
}
