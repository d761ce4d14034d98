import type { Provider } from 'oidc-provider';
import type { DemoUser } from './demo-users.ts';

/** The API as the provider knows it: its resource indicator and what tokens for it are like. */
export interface ApiResource {
  indicator: string;
  info: { scope: string; audience: string; accessTokenFormat: 'jwt' };
}

interface PasswordGrantDeps {
  api: ApiResource;
  userNamed(name: string | undefined): DemoUser | undefined;
  /** Seconds that a token lives. */
  lifetimeS: number;
}

/** `grant_type=password&username=…`, without a password: the development way to a token without a browser. */
export function registerPasswordGrant(provider: Provider, { api, userNamed, lifetimeS }: PasswordGrantDeps): void {
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
      grant.addResourceScope(api.indicator, api.info.scope);
      const token = new AccessToken({
        client,
        accountId: user.name,
        grantId: await grant.save(),
        gty: 'password',
        expiresIn: lifetimeS,
        scope: api.info.scope,
      });
      token.resourceServer = new ResourceServer(api.indicator, { ...api.info, accessTokenTTL: lifetimeS });
      context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: lifetimeS };
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
