import { type KnownPrincipal, rolesIn, type Tenant, type TenantRole } from '@weir/kernel/contract';
import { effectiveRole, highestRole } from '../api-token/effective-role.ts';
import type { AccessDocumentBody, BindingBody, BindingMatchBody, Claim } from '../contract.ts';
import { organizationsOf } from './cedar/organizations-of.ts';

/** Whether a document's bindings say anything: roles narrow by those who grant roles, capabilities by those who grant them. */
export function bindsAnything({ bindings = [] }: AccessDocumentBody): boolean {
  return bindings.some(({ grant }) => grant.roles !== undefined || grant.capabilities !== undefined);
}

/**
 * The caller with no more than the bindings of one document leave: the lower of what is held and what the fitting
 * bindings grant together. Bindings that grant no roles at all leave roles alone, and so with capabilities. Whom a
 * binding fits is told by the caller as they came, so that the order of documents does not matter.
 */
export function narrowed(
  principal: KnownPrincipal,
  { bindings = [] }: AccessDocumentBody,
  tenant: Tenant,
  asCame = principal,
): KnownPrincipal {
  const fitting = bindings.filter((binding) => fits(binding, asCame, tenant));
  const byRole = bindings.some(({ grant }) => grant.roles !== undefined)
    ? withRole(principal, tenant, highestRole(fitting.flatMap(({ grant }) => grant.roles ?? [])))
    : principal;
  if (!('capabilities' in byRole) || !bindings.some(({ grant }) => grant.capabilities !== undefined)) return byRole;
  const granted = fitting.flatMap(({ grant }) => grant.capabilities ?? []);
  return { ...byRole, capabilities: byRole.capabilities.filter((one) => granted.includes(one)) };
}

function withRole(principal: KnownPrincipal, tenant: Tenant, granted: TenantRole | undefined): KnownPrincipal {
  if (principal.kind === 'service') return principal;
  const role = granted && effectiveRole(granted, rolesIn(principal, tenant));
  const tenantRoles = { [tenant.alias]: role === undefined ? [] : [role] };
  if (principal.kind !== 'api_token') return { ...principal, tenantRoles };
  if (role !== undefined) return { ...principal, role };
  // A token always has a role; one without any can do what a person without any can.
  return { ...principal, kind: 'user', realmRoles: [], tenantRoles };
}

function fits({ match, grant }: BindingBody, principal: KnownPrincipal, tenant: Tenant): boolean {
  const values = claimValues(principal, match.claim, tenant);
  const wanted = wantedBy(match);
  if (!values.some((value) => wanted.includes(value))) return false;
  if (grant.tenants === undefined) return true;
  const tenants = Array.isArray(grant.tenants) ? grant.tenants : claimValues(principal, 'organization', tenant);
  return tenants.includes(tenant.alias);
}

const wantedBy = (match: BindingMatchBody): readonly string[] => ('in' in match ? match.in : [match.equals]);

function claimValues(principal: KnownPrincipal, claim: Claim, tenant: Tenant): readonly string[] {
  const person = 'realmRoles' in principal ? principal : undefined;
  const values: Record<Claim, readonly (string | undefined)[]> = {
    kind: [principal.kind],
    sub: [principal.subject],
    client_id: [principal.client],
    email: [person?.email],
    name: [person?.name],
    organization: organizationsOf(principal, tenant),
    roles: rolesIn(principal, tenant),
  };
  return values[claim].filter((value) => value !== undefined);
}
