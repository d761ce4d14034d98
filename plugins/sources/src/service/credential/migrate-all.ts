import type { Tenant } from '@weir/kernel';
import { requireStore } from '../vault/vault-access.ts';
import { type MigrationDeps, migrateCredentials, sourcesToMigrate } from './migrate-credentials.ts';

/** What a migration has moved. */
export interface Migrated {
  tenants: number;
  sources: number;
}

/**
 * Moves the credentials of all sources of these tenants into the secret store, in one transaction over all of them. Throws
 * `credential_migration_failed`, and has moved none, when one would be left behind, as it was made or changed meanwhile.
 */
export async function migrateAll(deps: MigrationDeps, tenants: readonly Tenant[]): Promise<Migrated> {
  requireStore(deps.kernel.vault);
  const moving = [];
  for (const tenant of tenants) moving.push(...(await sourcesToMigrate(deps, tenant)));
  await migrateCredentials(deps, moving, { leavesNone: true });
  return { tenants: new Set(moving.map(({ tenant }) => tenant.tenantId)).size, sources: moving.length };
}
