import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { TENANT_ROLES, type TenantRole } from '../contract/access.ts';
import type { Principal } from '../contract/caller.ts';
import { KeysUnavailable } from './keys.ts';

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_LIFETIME_S = 24 * 60 * 60;
const MAX_ORGANIZATIONS = 200;
const LEEWAY_S = 30;
const REFUSED_TYPES = ['ID', 'Refresh', 'Logout', 'Offline'];

/** A client that is itself the principal, named exactly in `WEIR_SERVICE_PRINCIPALS`. */
export interface ServicePrincipal {
  tenants: readonly string[] | '*';
  capabilities: readonly string[];
}

export interface TokenRules {
  issuer: string;
  audience: string;
  organizationClaim: string;
  services: ReadonlyMap<string, ServicePrincipal>;
  keys: JWTVerifyGetKey;
}

export type TokenVerdict =
  | { ok: true; principal: Exclude<Principal, { kind: 'anonymous' }>; expiresAt: Date }
  | { ok: false; reason: string; unavailable: boolean };

/**
 * Verifies one access token by RFC 8725 and RFC 9068: fixed algorithms, exact issuer, our audience, required times,
 * bounded lifetime, no ID or refresh tokens. The reason of a refusal is for the log only; callers see one answer.
 */
export async function verifyToken(token: string, rules: TokenRules): Promise<TokenVerdict> {
  if (token.length > MAX_TOKEN_BYTES) return refused('too long');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
      algorithms: ALGORITHMS,
      issuer: rules.issuer,
      audience: rules.audience,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: LEEWAY_S,
    });
    const fault = claimFault(payload, protectedHeader.typ);
    return fault === undefined ? principalOf(payload, rules) : refused(fault);
  } catch (error) {
    return { ok: false, reason: (error as Error).message, unavailable: error instanceof KeysUnavailable };
  }
}

function refused(reason: string): TokenVerdict {
  return { ok: false, reason, unavailable: false };
}

function claimFault(payload: JWTPayload, headerType: string | undefined): string | undefined {
  if (clientOf(payload) === undefined) return 'no azp or client_id';
  if ((payload.exp ?? 0) - (payload.iat ?? 0) > MAX_LIFETIME_S) return 'lives too long';
  if ((payload.iat ?? 0) > Date.now() / 1000 + LEEWAY_S) return 'issued in the future';
  if (typeof payload.typ === 'string' && REFUSED_TYPES.includes(payload.typ)) return 'not an access token';
  const isAccessToken = payload.typ === 'Bearer' || headerType?.toLowerCase().replace('application/', '') === 'at+jwt';
  return isAccessToken ? undefined : 'not marked as an access token';
}

function clientOf(payload: JWTPayload): string | undefined {
  const client = payload.azp ?? payload.client_id;
  return typeof client === 'string' && client !== '' ? client : undefined;
}

function principalOf(payload: JWTPayload, rules: TokenRules): TokenVerdict {
  const client = clientOf(payload) as string;
  const subject = payload.sub as string;
  const expiresAt = new Date((payload.exp ?? 0) * 1000);
  const service = rules.services.get(client);
  // A service account's subject is the client itself or carries no login of a person.
  if (service) {
    if (payload.preferred_username !== undefined && !isServiceAccount(payload, client)) {
      return refused('a user token of a service client');
    }
    return { ok: true, principal: { kind: 'service', subject, client, ...service }, expiresAt };
  }
  const organizations = aliasesOf(payload[rules.organizationClaim]);
  if (organizations.length > MAX_ORGANIZATIONS) return refused('too many organizations');
  const tenantRoles = tenantRolesOf(payload.tenant_roles);
  return {
    ok: true,
    principal: {
      kind: 'user',
      subject,
      client,
      organizations,
      realmRoles: realmRolesOf(payload.realm_access),
      ...(tenantRoles === undefined ? {} : { tenantRoles }),
    },
    expiresAt,
  };
}

function isServiceAccount(payload: JWTPayload, client: string): boolean {
  return payload.preferred_username === `service-account-${client}` || payload.sub === client;
}

/** Organizations come as an array of aliases, or as an object whose keys are the aliases. */
function aliasesOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.filter((alias) => typeof alias === 'string');
  if (typeof claim === 'object' && claim !== null) return Object.keys(claim);
  return typeof claim === 'string' ? [claim] : [];
}

function realmRolesOf(claim: unknown): string[] {
  const roles = (claim as { roles?: unknown } | undefined)?.roles;
  return Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [];
}

function tenantRolesOf(claim: unknown): Record<string, TenantRole[]> | undefined {
  if (typeof claim !== 'object' || claim === null || Array.isArray(claim)) return undefined;
  const known: readonly string[] = TENANT_ROLES;
  return Object.fromEntries(
    Object.entries(claim).map(([alias, roles]) => [
      alias,
      (Array.isArray(roles) ? roles : []).filter((role): role is TenantRole => known.includes(role)),
    ]),
  );
}
