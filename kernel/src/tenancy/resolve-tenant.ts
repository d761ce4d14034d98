import type { Access } from '../contract/access.ts';
import type { KnownPrincipal, Principal, Tenant } from '../contract/caller.ts';
import { Problem } from '../contract/problem.ts';
import { kernelProblems } from '../contract/problems.ts';
import type { Tenants } from './tenants.ts';

const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/**
 * The one place that says which tenant a request is for; a client that may leave it open gets undefined. `header` holds every
 * `X-Tenant-ID` value that was sent. Aliases are compared byte by byte; a tenant that is not in the token answers as one that does not exist.
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
  if (header[0] === undefined && access.tenantHeader === 'users' && 'capabilities' in principal) return undefined;
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
  if (principal.kind === 'service' || access.tenantHeader === 'users') throw kernelProblems.tenantHeaderRequired();
  const [first, second] = principal.organizations;
  if (first === undefined) throw kernelProblems.tenantNotAllowed();
  if (second !== undefined) throw kernelProblems.tenantHeaderRequired();
  return first;
}

/** Those tenants of a client that admit it, in the order of their aliases; throws the refusal of the first when none does. */
export async function tenantsOf(
  principal: KnownPrincipal,
  tenants: Pick<Tenants, 'byAlias' | 'list'>,
  admit: (tenant: Tenant) => Promise<unknown>,
): Promise<Tenant[]> {
  const named = principal.kind === 'service' ? principal.tenants : principal.organizations;
  const found = named === '*' ? await tenants.list() : await Promise.all([...new Set(named)].map(tenants.byAlias));
  const [admitted, refusals]: [Tenant[], Problem[]] = [[], []];
  const own = found.filter((tenant) => tenant !== undefined);
  for (const tenant of own.sort((a, b) => (a.alias < b.alias ? -1 : 1)))
    await admit(tenant).then(
      () => admitted.push(tenant),
      (error: unknown) => (error instanceof Problem ? refusals.push(error) : Promise.reject(error)),
    );
  if (admitted.length === 0) throw refusals[0] ?? kernelProblems.tenantNotAllowed();
  return admitted;
}
