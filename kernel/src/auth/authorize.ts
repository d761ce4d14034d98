import { type Access, TENANT_ROLES, type TenantRole } from '../contract/access.ts';
import type { Principal, Tenant } from '../contract/caller.ts';
import type { Problem } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';

/** Decides by role or capability alone; undefined means allowed. Knows nothing of rows. */
export function authorize(access: Access, principal: Principal, tenant: Tenant | undefined): Problem | undefined {
  if (access.kind === 'public') return undefined;
  if (principal.kind === 'anonymous') return kernelProblems.unauthenticated();
  if (principal.kind === 'service') {
    const allowed = access.capability !== undefined && principal.capabilities.includes(access.capability);
    return allowed ? undefined : kernelProblems.capabilityRequired();
  }
  if (access.kind === 'platform') {
    return principal.realmRoles.includes('platform_admin') ? undefined : kernelProblems.forbiddenRole();
  }
  const needed = TENANT_ROLES.indexOf(access.role);
  const held = rolesIn(principal, tenant).some((role) => TENANT_ROLES.indexOf(role) >= needed);
  return held ? undefined : kernelProblems.forbiddenRole();
}

/** A user's roles in one tenant: the token's own per-tenant roles when it carries them, otherwise the realm's. */
export function rolesIn(principal: Extract<Principal, { kind: 'user' }>, tenant: Tenant | undefined): TenantRole[] {
  const roles: readonly string[] =
    principal.tenantRoles === undefined
      ? principal.realmRoles
      : tenant === undefined
        ? []
        : (principal.tenantRoles[tenant.alias] ?? []);
  return TENANT_ROLES.filter((role) => roles.includes(role));
}
