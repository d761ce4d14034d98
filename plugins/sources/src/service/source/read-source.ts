import type { TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { SourceRow } from '../../model/source/entity.ts';

/** How many streams a source has. */
export interface StreamCounts {
  streams: number;
  streams_enabled: number;
}

const READ = `
select source_id as "sourceId", name, pattern_id as "patternId", pattern_version as "patternVersion",
  source_config as "sourceConfig", sealed, credential_id as "credentialId", status, version, last_run_id as "lastRunId",
  created_at as "createdAt", updated_at as "updatedAt",
  (select count(*)::int from sources.stream s where s.tenant_id = source.tenant_id and s.source_id = source.source_id) as streams,
  (select count(*)::int from sources.stream s where s.tenant_id = source.tenant_id and s.source_id = source.source_id and s.enabled) as streams_enabled
from sources.source where tenant_id = $1 and source_id = $2 and status <> 'retired'`;

/**
 * A source that is not retired, with the counts of its streams, in one statement: it is what is read most of all, and an
 * entity with a count beside it takes twice as long. Throws `not_found`.
 */
export async function readSource(
  tx: TenantTransaction,
  sourceId: string,
): Promise<{ row: SourceRow; counts: StreamCounts }> {
  const { rows } = await tx.sql(READ, [tx.tenant.tenantId, sourceId]);
  const [found] = rows;
  if (found === undefined) throw kernelProblems.notFound();
  const { streams, streams_enabled, createdAt, updatedAt, ...rest } = found;
  const [created, updated] = [new Date(String(createdAt)), new Date(String(updatedAt))];
  const row = { ...rest, tenantId: tx.tenant.tenantId, createdAt: created, updatedAt: updated } as SourceRow;
  return { row, counts: { streams: Number(streams), streams_enabled: Number(streams_enabled) } };
}
