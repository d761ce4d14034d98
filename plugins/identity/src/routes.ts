import { type AnyRoute, handle } from '@weir/kernel';
import type { tokenService } from './api-token/service.ts';
import { createApiToken, getApiToken, getUser, listApiTokens, listUsers, revokeApiToken } from './contract.ts';
import type { personService } from './person/service.ts';

export interface RouteServices {
  tokens: ReturnType<typeof tokenService>;
  users: ReturnType<typeof personService>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ tokens, users }: RouteServices): AnyRoute[] {
  return [
    handle(createApiToken, ({ tenant, principal, body }) => tokens.create(tenant, principal, body)),
    handle(listApiTokens, ({ tenant, principal, query }) => tokens.list(tenant, principal, query)),
    handle(getApiToken, ({ tenant, principal, params }) => tokens.get(tenant, principal, params.api_token_id)),
    handle(revokeApiToken, ({ tenant, principal, params }) => tokens.revoke(tenant, principal, params.api_token_id)),
    handle(listUsers, ({ tenant, principal, query }) => users.list(tenant, principal, query)),
    handle(getUser, ({ tenant, principal, params }) => users.get(tenant, principal, params.sub)),
  ];
}
