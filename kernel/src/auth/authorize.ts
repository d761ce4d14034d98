import { type Access, type Role, TENANT_ROLES } from '../contract/access.ts';
import { type Principal, rolesIn, type Tenant } from '../contract/caller.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Problem } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';

/**
 * Decides by role and capability alone; undefined means allowed. Knows nothing of rows. A service may do what it was given
 * the capability for, and read what any viewer may; a delegation needs the person's role too.
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
    if (principal.kind !== 'delegation') return undefined;
  }
  if (access.people) return kernelProblems.personRequired();
  if (access.capability === undefined) return access.role === 'viewer' ? undefined : kernelProblems.personRequired();
  return principal.capabilities.includes(access.capability) ? undefined : kernelProblems.capabilityRequired();
}

/** What is wrong with the access of a route. Without a capability clients may read, so a change has to name who may make it. */
export function accessFault({ method, access }: Pick<Endpoint, 'method' | 'access'>): string | undefined {
  if (access === undefined) return 'has no access rule';
  if (access.kind === 'public' || access.kind === 'webhook' || method === 'GET') return undefined;
  if (access.kind !== 'known') {
    const { capability, people, reads } = access;
    if (capability !== undefined || people || (method === 'POST' && reads)) return undefined;
  }
  return 'changes something without a `capability` and without `people: true`; a POST that changes nothing is `reads: true`';
}
