import type { TenantTransaction } from '@weir/kernel';
import type { DiscoveryWarningView } from '../../contract.ts';
import type { FoundStream } from '../../model/discovery/entity.ts';
import { DISCOVERY_KIND } from '../../model/run-kinds.ts';

/** Namespaces that a stream may be given by hand; undefined while nothing is known of the source. Null is always one. */
export async function knownNamespaces(
  tx: TenantTransaction,
  sourceId: string,
): Promise<ReadonlySet<string> | undefined> {
  const seen = await lastSeen(tx, sourceId);
  return seen && new Set(seen.streams.flatMap(({ namespace }) => namespace ?? []));
}

/** What the last successful discovery of a source has run with and found. */
export interface LastSeen {
  config: string;
  credential: string;
  streams: readonly FoundStream[];
}

/** Undefined before the first, and while it is one of a release that did not keep this. */
export async function lastSeen(tx: TenantTransaction, sourceId: string): Promise<LastSeen | undefined> {
  const { rows } = await tx.sql(
    `select d.seen_config as config, d.seen_credential as credential, d.found_streams as streams
     from sources.discovery d join kernel.run r on r.tenant_id = d.tenant_id and r.run_id = d.run_id
     where d.tenant_id = $1 and d.source_id = $2 and r.kind = $3 and r.status = 'succeeded'
     order by d.created_at desc limit 1`,
    [tx.tenant.tenantId, sourceId, DISCOVERY_KIND.kind],
  );
  const last = rows[0] as LastSeen | undefined;
  return last?.config && last.streams ? last : undefined;
}

/** What the last successful discovery of a source could not describe, or did not find. */
export async function lastWarnings(tx: TenantTransaction, sourceId: string): Promise<DiscoveryWarningView[]> {
  const { rows } = await tx.sql(
    `select d.warnings from sources.discovery d join kernel.run r on r.tenant_id = d.tenant_id and r.run_id = d.run_id
     where d.tenant_id = $1 and d.source_id = $2 and r.kind = $3 and r.status = 'succeeded'
     order by d.created_at desc limit 1`,
    [tx.tenant.tenantId, sourceId, DISCOVERY_KIND.kind],
  );
  return (rows[0]?.warnings as DiscoveryWarningView[] | null | undefined) ?? [];
}

/** Notes that credentials are in another form than they were: renewed by their connector, or moved into the store. */
export async function carrySeenCredential(
  tx: TenantTransaction,
  { tenantId, before, after }: { tenantId: string; before: string; after: string },
): Promise<void> {
  await tx.sql('update sources.discovery set seen_credential = $3 where tenant_id = $1 and seen_credential = $2', [
    tenantId,
    before,
    after,
  ]);
}
