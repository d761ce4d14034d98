import type { TenantRole } from './access.ts';

/** A resolved tenant. `alias` is what tokens and headers say, `tenantId` what keys say, `scope` what dataset ids say. */
export interface Tenant {
  readonly tenantId: string;
  readonly alias: string;
  /** `^[a-z][a-z0-9_]{0,47}$`, made once from the alias, unique over all tenants. */
  readonly scope: string;
}

/** Who calls. Anonymous callers reach public routes only. */
export type Principal =
  | { kind: 'anonymous' }
  | {
      kind: 'user';
      subject: string;
      /** Aliases of the token's organizations. */
      organizations: readonly string[];
      /** Roles held in every organization of the token. */
      realmRoles: readonly string[];
      /** Roles per organization, preferred over the realm's when the token carries them. */
      tenantRoles?: Readonly<Record<string, readonly TenantRole[]>>;
      client: string;
    }
  | {
      kind: 'service';
      subject: string;
      client: string;
      tenants: readonly string[] | '*';
      capabilities: readonly string[];
    };

/** Whoever calls with a credential that was good. */
export type KnownPrincipal = Exclude<Principal, { kind: 'anonymous' }>;
