import { type AnyRoute, handle } from '@weir/kernel';
import type { tokenService } from './api-token/service.ts';
import {
  clonePolicy,
  createApiToken,
  createPolicy,
  deletePolicy,
  dryRunPolicy,
  getApiToken,
  getMe,
  getPolicy,
  getPolicyVersion,
  getUser,
  listApiTokens,
  listPolicies,
  listPolicyVersions,
  listUsers,
  revokeApiToken,
  updatePolicy,
} from './contract.ts';
import type { whoCalls } from './me/who-calls.ts';
import type { personService } from './person/service.ts';
import type { policyService } from './policy/service.ts';

export interface RouteServices {
  tokens: ReturnType<typeof tokenService>;
  policies: ReturnType<typeof policyService>;
  users: ReturnType<typeof personService>;
  me: ReturnType<typeof whoCalls>;
}

/** Every endpoint of the plugin with the service call that carries it out. */
export function routes({ tokens, policies, users, me }: RouteServices): AnyRoute[] {
  return [
    handle(createApiToken, ({ tenant, principal, body }) => tokens.create(tenant, principal, body)),
    handle(listApiTokens, ({ tenant, principal, query }) => tokens.list(tenant, principal, query)),
    handle(getApiToken, ({ tenant, principal, params }) => tokens.get(tenant, principal, params.api_token_id)),
    handle(revokeApiToken, ({ tenant, principal, params }) => tokens.revoke(tenant, principal, params.api_token_id)),
    handle(listPolicies, ({ tenant, query }) => policies.list(tenant, query)),
    handle(createPolicy, ({ tenant, principal, body }) => policies.create(tenant, principal, body)),
    handle(getPolicy, ({ tenant, params }) => policies.get(tenant, params.policy_id)),
    handle(updatePolicy, ({ tenant, principal, params, ifMatch, body }) =>
      policies.update(tenant, principal, { policyId: params.policy_id, ifMatch, body }),
    ),
    handle(deletePolicy, ({ tenant, params, ifMatch }) => policies.remove(tenant, params.policy_id, ifMatch)),
    handle(listPolicyVersions, ({ tenant, params, query }) => policies.versions(tenant, params.policy_id, query)),
    handle(getPolicyVersion, ({ tenant, params }) => policies.version(tenant, params.policy_id, params.version)),
    handle(clonePolicy, ({ tenant, principal, params, body }) =>
      policies.clone(tenant, principal, params.policy_id, body),
    ),
    handle(dryRunPolicy, ({ tenant, params, body, signal }) =>
      policies.dryRun(tenant, params.policy_id, { body, signal }),
    ),
    handle(getMe, ({ principal }) => me(principal)),
    handle(listUsers, ({ tenant, principal, query }) => users.list(tenant, principal, query)),
    handle(getUser, ({ tenant, principal, params }) => users.get(tenant, principal, params.sub)),
  ];
}
