import { type Role, TENANT_ROLES, type TenantRole } from './access.ts';

/** A resolved tenant. `alias` is what tokens and headers say, `tenantId` what keys say, `scope` what dataset ids say. */
export interface Tenant {
  readonly tenantId: string;
  readonly alias: string;
  /** `^[a-z][a-z0-9_]{0,47}$`, made once from the alias, unique over all tenants. */
  readonly scope: string;
}

interface Known {
  readonly subject: string;
  /** The client that the credential was made for; of an API token `api-token:<its id>`. */
  readonly client: string;
  /** When the credential ends; absent for somebody who is only supposed. */
  readonly expiresAt?: Date;
}

/** What a person may do: roles in organizations. */
interface Person extends Known {
  /** Aliases of the token's organizations; of a delegation only those that the client was given too. */
  readonly organizations: readonly string[];
  /** Roles held in every organization of the token, and `platform_admin`. */
  readonly realmRoles: readonly string[];
  /** Roles per organization, preferred over the realm's when the token carries them. */
  readonly tenantRoles?: Readonly<Record<string, readonly TenantRole[]>>;
  /** When the identity provider made the token; absent for somebody who is only supposed. */
  readonly issuedAt?: Date;
  /** As the token spells them. */
  readonly name?: string;
  readonly email?: string;
}

/** Who calls. Anonymous callers reach public routes only. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | ({ readonly kind: 'user' } & Person)
  /** A client that acts for a person: what both may do. */
  | ({ readonly kind: 'delegation'; readonly capabilities: readonly string[] } & Person)
  /** A token that a person made for one tenant; `subject` is that person, `role` never above theirs of today. */
  | ({
      readonly kind: 'api_token';
      readonly organizations: readonly [alias: string];
      readonly role: TenantRole;
    } & Known)
  /** Whoever knows the secret of one route. */
  | ({ readonly kind: 'webhook' } & Known)
  | ({
      readonly kind: 'service';
      readonly tenants: readonly string[] | '*';
      readonly capabilities: readonly string[];
    } & Known);

/** Whoever calls with a credential of their own that was good. */
export type KnownPrincipal = Exclude<Principal, { kind: 'anonymous' | 'webhook' }>;

/** Whoever signed a request with a secret that both sides know. */
export type WebhookPrincipal = Extract<Principal, { kind: 'webhook' }>;

/** The roles that a caller holds in one tenant, or outside all of them; a service or a webhook holds none. */
export function rolesIn(principal: Principal, tenant: Tenant | undefined): Role[] {
  if (principal.kind === 'anonymous' || principal.kind === 'service' || principal.kind === 'webhook') return [];
  if (principal.kind === 'api_token') return tenant?.alias === principal.organizations[0] ? [principal.role] : [];
  const { realmRoles, tenantRoles } = principal;
  const here: readonly string[] =
    tenant === undefined ? [] : tenantRoles === undefined ? realmRoles : (tenantRoles[tenant.alias] ?? []);
  const held: Role[] = TENANT_ROLES.filter((role) => here.includes(role));
  return realmRoles.includes('platform_admin') ? [...held, 'platform_admin'] : held;
}

/** The subject that a change is recorded under; `anonymous` for a caller without a credential. */
export const subjectOf = (principal: Principal): string =>
  principal.kind === 'anonymous' ? 'anonymous' : principal.subject;
