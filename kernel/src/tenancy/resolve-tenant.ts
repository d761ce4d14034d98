import type { Access } from '../contract/access.ts';
import type { KnownPrincipal, Principal, Tenant } from '../contract/caller.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { Tenants } from './tenants.ts';

const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/**
 * The one place that says which tenant a request is for. `header` holds every `X-Tenant-ID` value that was sent.
 * Aliases are compared byte by byte; a tenant that is not in the token answers as one that does not exist.
 */
export async function resolveTenant(
  access: Access,
  principal: Principal,
  header: readonly string[],
  tenants: Pick<Tenants, 'byAlias'>,
): Promise<Tenant | undefined> {
  if (access.kind !== 'tenant') return undefined;
  if (principal.kind === 'anonymous' || principal.kind === 'webhook') throw kernelProblems.unauthenticated();
  if (header.length > 1 || (header[0] !== undefined && !ALIAS.test(header[0]))) {
    throw kernelProblems.tenantHeaderInvalid();
  }
  const alias = header[0] ?? onlyTenant(access, principal);
  const allowed =
    principal.kind === 'service'
      ? principal.tenants === '*' || principal.tenants.includes(alias)
      : principal.organizations.includes(alias);
  const tenant = allowed ? await tenants.byAlias(alias) : undefined;
  if (tenant === undefined) throw kernelProblems.tenantNotAllowed();
  return tenant;
}

function onlyTenant(access: Extract<Access, { kind: 'tenant' }>, principal: KnownPrincipal): string {
  if (principal.kind === 'service' || access.tenantHeader === 'required') throw kernelProblems.tenantHeaderRequired();
  const [first, second] = principal.organizations;
  if (first === undefined) throw kernelProblems.tenantNotAllowed();
  if (second !== undefined) throw kernelProblems.tenantHeaderRequired();
  return first;
}
