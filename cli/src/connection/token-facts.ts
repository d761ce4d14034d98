import { TENANT_ROLES } from '@weir/kernel/contract';

const PLATFORM_ADMIN = 'platform_admin';
const ROLES: readonly string[] = [...TENANT_ROLES, PLATFORM_ADMIN];

/** What an access token says of its holder. It is read and not verified: the API does that. */
export interface TokenFacts {
  subject?: string;
  name?: string;
  client?: string;
  roles: string[];
  /** Aliases of the organizations. */
  tenants: string[];
  tenantRoles?: Record<string, string[]>;
  expiresAt?: string;
}

/** What a token says, or undefined when it is none that says something, such as an API token. */
export function tokenFacts(token: string, organizationClaim = 'organization'): TokenFacts | undefined {
  const claims = claimsOf(token);
  if (claims === undefined) return undefined;
  const { sub, preferred_username: name, azp, exp, realm_access, tenant_roles } = claims;
  return {
    ...(typeof sub === 'string' ? { subject: sub } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof azp === 'string' ? { client: azp } : {}),
    roles: known(isRecord(realm_access) ? realm_access.roles : undefined),
    tenants: aliases(claims[organizationClaim]),
    ...(isRecord(tenant_roles)
      ? { tenantRoles: Object.fromEntries(Object.entries(tenant_roles).map(([alias, held]) => [alias, known(held)])) }
      : {}),
    ...(typeof exp === 'number' && Math.abs(exp) < LAST_SECOND
      ? { expiresAt: new Date(exp * 1_000).toISOString() }
      : {}),
  };
}

/** The last second that a date can say. */
const LAST_SECOND = 8.64e12;

/**
 * The roles that a token gives in one of its tenants, as the API sees it: those of the tenant where it has such, else
 * those of all, and `platform_admin` in any case, which is no role of a tenant.
 */
export function rolesFor({ roles, tenantRoles }: TokenFacts, tenant: string): string[] {
  if (tenantRoles === undefined) return roles;
  const here = Object.hasOwn(tenantRoles, tenant) ? (tenantRoles[tenant] ?? []) : [];
  return [...new Set([...here, ...roles.filter((role) => role === PLATFORM_ADMIN)])];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
const known = (value: unknown): string[] => texts(value).filter((role) => ROLES.includes(role));

/** Organizations come as aliases, or as an object whose keys are aliases. */
function aliases(claim: unknown): string[] {
  return isRecord(claim) ? Object.keys(claim) : typeof claim === 'string' ? [claim] : texts(claim);
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isRecord(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
