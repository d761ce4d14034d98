import { TENANT_ROLES, type TenantRole } from '@weir/kernel/contract';

/** The highest of some roles; undefined when there is none. */
export function highestRole(roles: readonly string[]): TenantRole | undefined {
  return TENANT_ROLES.findLast((role) => roles.includes(role));
}

/** The lower of the role that a token was given and the highest that its maker has now; undefined when there is none. */
export function effectiveRole(given: TenantRole, makers: readonly string[]): TenantRole | undefined {
  const highest = highestRole(makers);
  if (highest === undefined) return undefined;
  return TENANT_ROLES[Math.min(TENANT_ROLES.indexOf(given), TENANT_ROLES.indexOf(highest))];
}
