import type { KnownPrincipal, Tenant } from '@weir/kernel/contract';

/** The organizations of a caller as bindings and statements see them; a service of all tenants is in the one that is asked about. */
export function organizationsOf(principal: KnownPrincipal, tenant: Tenant): readonly string[] {
  if (principal.kind !== 'service') return principal.organizations;
  return principal.tenants === '*' ? [tenant.alias] : principal.tenants;
}
