import type { Tenant } from '../contract/caller.ts';

/** Looks tenants up and makes them; each has one alias, one scope and one id for ever. */
export interface Tenants {
  byAlias(alias: string): Promise<Tenant | undefined>;
  byId(tenantId: string): Promise<Tenant | undefined>;
  list(): Promise<Tenant[]>;
}
