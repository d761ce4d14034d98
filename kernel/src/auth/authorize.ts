import { type Access, type Role, TENANT_ROLES } from '../contract/access.ts';
import { type Principal, rolesIn, type Tenant } from '../contract/caller.ts';
import type { Problem } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';

/**
 * Decides by role and capability alone; undefined means allowed. Knows nothing of rows. A service may do what it was given
 * the capability for, and what any viewer may where the route asks for none; a delegation needs the person's role too.
 */
export function authorize(access: Access, principal: Principal, tenant: Tenant | undefined): Problem | undefined {
  if (access.kind === 'public') return undefined;
  if (access.kind === 'webhook') return kernelProblems.signatureRequired();
  if (principal.kind === 'anonymous' || principal.kind === 'webhook') return kernelProblems.unauthenticated();
  if (access.kind === 'known') return undefined;
  if (principal.kind !== 'service') {
    if (access.kind === 'tenant' && access.callers === 'services') return kernelProblems.serviceRequired();
    const enough: readonly Role[] =
      access.kind === 'platform' ? [access.role] : TENANT_ROLES.slice(TENANT_ROLES.indexOf(access.role));
    if (!rolesIn(principal, tenant).some((role) => enough.includes(role))) return kernelProblems.forbiddenRole();
    if (principal.kind !== 'delegation' || access.capability === undefined) return undefined;
  }
  const given =
    access.capability === undefined ? access.role === 'viewer' : principal.capabilities.includes(access.capability);
  return given ? undefined : kernelProblems.capabilityRequired();
}
