import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { KeysUnavailable } from './keys.ts';
import { provesService, type ServiceMark } from './service-proof.ts';

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_LIFETIME_S = 24 * 60 * 60;
const MAX_ORGANIZATIONS = 200;
const LEEWAY_S = 30;
/** RFC 9068, with or without the part before the slash. */
const ACCESS_TOKEN_TYPE = /^(application\/)?at\+jwt$/i;
/** A header that leaves the kind of token to the claims (RFC 8725, section 3.11). */
const ANY_TOKEN_TYPE = /^(application\/)?(at\+)?jwt$/i;
/** Claims that ID tokens and logout tokens have, and access tokens do not. */
const OF_OTHER_TOKENS = ['at_hash', 'c_hash', 'events'];
const MAX_SUBJECT_LENGTH = 255;

/** A client that is named exactly in the configuration, as a service or as one that acts for people. */
export interface ConfiguredClient {
  readonly tenants: readonly string[] | '*';
  readonly capabilities: readonly string[];
}

export interface TokenRules<R extends string = string> {
  issuer: string;
  audience: string;
  organizationClaim: string;
  /** Roles that count in a tenant; others of a token mean nothing. */
  tenantRoles: readonly R[];
  /** The realm role that makes a `platform_admin`. */
  platformAdminRole: string;
  services: ReadonlyMap<string, ConfiguredClient>;
  /** What the issuer's tokens hold when a client called in its own name; one of them is enough. */
  serviceMarks: readonly ServiceMark[];
  delegations: ReadonlyMap<string, ConfiguredClient>;
  keys: JWTVerifyGetKey;
}

interface TokenPerson<R extends string> {
  readonly subject: string;
  readonly client: string;
  readonly organizations: readonly string[];
  readonly realmRoles: readonly (R | 'platform_admin')[];
  readonly tenantRoles?: Readonly<Record<string, readonly R[]>>;
  readonly issuedAt: Date;
  readonly name?: string;
  readonly email?: string;
}

/** Who a good token is of: a person, a client that acts for one, or a service. */
export type TokenPrincipal<R extends string = string> =
  | ({ readonly kind: 'user' } & TokenPerson<R>)
  | ({ readonly kind: 'delegation'; readonly capabilities: readonly string[] } & TokenPerson<R>)
  | ({ readonly kind: 'service'; readonly subject: string; readonly client: string } & ConfiguredClient);

export type TokenVerdict<R extends string = string> =
  | { ok: true; principal: TokenPrincipal<R>; expiresAt: Date }
  | { ok: false; reason: string; unavailable: boolean };

/**
 * Verifies one access token by RFC 8725 and RFC 9068: fixed algorithms, exact issuer, our audience, required times,
 * bounded lifetime, nothing but access tokens. The reason of a refusal is for the log only; callers see one answer.
 */
export async function verifyToken<R extends string>(token: string, rules: TokenRules<R>): Promise<TokenVerdict<R>> {
  if (token.length > MAX_TOKEN_BYTES) return refused('too long');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
      algorithms: ALGORITHMS,
      issuer: rules.issuer,
      audience: rules.audience,
      requiredClaims: ['exp', 'iat', 'sub'],
      clockTolerance: LEEWAY_S,
    });
    const fault = claimFault(payload, protectedHeader.typ) ?? organizationFault(payload[rules.organizationClaim]);
    return fault === undefined ? principalOf(payload, rules) : refused(fault);
  } catch (error) {
    return { ok: false, reason: (error as Error).message, unavailable: error instanceof KeysUnavailable };
  }
}

function refused(reason: string): TokenVerdict<never> {
  return { ok: false, reason, unavailable: false };
}

function claimFault(payload: JWTPayload, headerType: string | undefined): string | undefined {
  const { sub, exp = 0, iat = 0, typ } = payload;
  if (clientOf(payload) === undefined) return 'no azp or client_id';
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH) return 'no usable subject';
  if (exp - iat > MAX_LIFETIME_S) return 'lives too long';
  if (iat > Date.now() / 1000 + LEEWAY_S) return 'issued in the future';
  if (OF_OTHER_TOKENS.some((name) => payload[name] !== undefined)) return 'marked as another kind of token';
  const isAccessToken = typ === undefined ? ACCESS_TOKEN_TYPE.test(headerType ?? '') : typ === 'Bearer';
  const isAgreed = headerType === undefined || ANY_TOKEN_TYPE.test(headerType);
  return isAccessToken && isAgreed ? undefined : 'not marked as an access token';
}

/** Text would be one alias or many in a notation that nobody has agreed on. */
function organizationFault(claim: unknown): string | undefined {
  if (claim !== undefined && typeof claim !== 'object') return 'organizations are neither a list nor an object';
  const isTooMany = aliasesOf(claim).length > MAX_ORGANIZATIONS;
  return isTooMany ? 'too many organizations' : undefined;
}

function clientOf(payload: JWTPayload): string | undefined {
  const client = payload.azp ?? payload.client_id;
  return typeof client === 'string' && client !== '' ? client : undefined;
}

function principalOf<R extends string>(payload: JWTPayload, rules: TokenRules<R>): TokenVerdict<R> {
  const client = clientOf(payload) as string;
  const subject = payload.sub as string;
  const expiresAt = new Date((payload.exp ?? 0) * 1000);
  const service = rules.services.get(client);
  const delegate = rules.delegations.get(client);
  const organizations = aliasesOf(payload[rules.organizationClaim]);
  if (service && provesService(payload, client, rules))
    return { ok: true, principal: { kind: 'service', subject, client, ...service }, expiresAt };
  const tenantRoles = tenantRolesOf(payload.tenant_roles, rules);
  const person = {
    subject,
    client,
    organizations,
    realmRoles: realmRolesOf(payload.realm_access, rules),
    issuedAt: new Date((payload.iat ?? 0) * 1000),
    ...(tenantRoles === undefined ? {} : { tenantRoles }),
    ...(typeof payload.name === 'string' ? { name: payload.name } : {}),
    ...(typeof payload.email === 'string' ? { email: payload.email } : {}),
  };
  if (payload.act === undefined && !delegate) return { ok: true, principal: { kind: 'user', ...person }, expiresAt };
  // Whoever acts for a person without being named here may do nothing.
  const { tenants, capabilities } = delegate ?? { tenants: [], capabilities: [] };
  const shared = organizations.filter((alias) => tenants === '*' || tenants.includes(alias));
  return { ok: true, principal: { kind: 'delegation', ...person, organizations: shared, capabilities }, expiresAt };
}

/** Organizations come as an array of aliases, or as an object whose keys are the aliases. */
function aliasesOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.filter((alias) => typeof alias === 'string');
  return typeof claim === 'object' && claim !== null ? Object.keys(claim) : [];
}

/** The roles that are ours; others mean nothing here. */
function realmRolesOf<R extends string>(claim: unknown, rules: TokenRules<R>): (R | 'platform_admin')[] {
  const roles: unknown = (claim as { roles?: unknown } | undefined)?.roles;
  if (!Array.isArray(roles)) return [];
  const held = rules.tenantRoles.filter((role) => roles.includes(role));
  return roles.includes(rules.platformAdminRole) ? [...held, 'platform_admin'] : held;
}

/** Without a prototype, as aliases may be spelt like what objects inherit. */
function tenantRolesOf<R extends string>(claim: unknown, rules: TokenRules<R>): Record<string, R[]> | undefined {
  if (typeof claim !== 'object' || claim === null || Array.isArray(claim)) return undefined;
  const found: Record<string, R[]> = Object.create(null);
  for (const [alias, roles] of Object.entries(claim))
    found[alias] = rules.tenantRoles.filter((role) => Array.isArray(roles) && roles.includes(role));
  return found;
}
