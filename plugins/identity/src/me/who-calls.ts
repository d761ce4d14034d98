import type { Kernel } from '@weir/kernel';
import { kernelProblems, type Principal, rolesIn, TENANT_ROLES } from '@weir/kernel/contract';
import type { MeView } from '../contract.ts';

const API_TOKEN = /^api-token:([0-9a-f-]{36})$/;

/** Tells a caller who they are, by the credential alone and by which of its tenants there are. */
export function whoCalls(tenants: Kernel['tenants']): (principal: Principal) => Promise<MeView> {
  return async (principal) => {
    if (principal.kind === 'anonymous' || principal.kind === 'webhook') throw kernelProblems.unauthenticated();
    const { kind, subject, client } = principal;
    const named = principal.kind === 'service' ? principal.tenants : principal.organizations;
    const found = await Promise.all((named === '*' ? [] : named).map((alias) => tenants.byAlias(alias)));
    const person = principal.kind === 'user' || principal.kind === 'delegation' ? principal : undefined;
    return {
      ...{ kind, subject, client, name: person?.name ?? null, email: person?.email ?? null },
      tenants: found.flatMap((tenant) => {
        if (tenant === undefined) return [];
        const held = rolesIn(principal, tenant);
        return [{ alias: tenant.alias, roles: TENANT_ROLES.filter((role) => held.includes(role)) }];
      }),
      all_tenants: named === '*',
      platform_admin: rolesIn(principal, undefined).includes('platform_admin'),
      capabilities: 'capabilities' in principal ? [...principal.capabilities] : null,
      api_token_id: (kind === 'api_token' && API_TOKEN.exec(client)?.[1]) || null,
      expires_at: principal.expiresAt?.toISOString() ?? null,
    };
  };
}
