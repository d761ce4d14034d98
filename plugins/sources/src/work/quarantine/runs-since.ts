import type { TenantDb } from '@weir/kernel';
import type { StreamRow } from '../../model/stream/entity.ts';

/**
 * The syncs of a stream's source from one on, that one included; all of them when it is not known. Syncs of one source
 * never overlap, so that what one of them replaced was there before it.
 */
export function runsSince(db: TenantDb, { sourceId }: Pick<StreamRow, 'sourceId'>, runId: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.sql(
      `select run_id from sources.sync_run where source_id = $1 and created_at >= coalesce(
         (select created_at from sources.sync_run where run_id = $2), '-infinity')`,
      [sourceId, runId],
    );
    return rows.map(({ run_id }) => String(run_id));
  });
}
