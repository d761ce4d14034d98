import type { CommittedState } from '../model/why-run.ts';
import type { CarryOutDeps, Job } from './transform-attempt.ts';

/** Snapshots among which those since the last commit are looked for. */
const NEWEST_SNAPSHOTS = 500;

interface Committed {
  state: CommittedState;
  runId: string;
}

/**
 * Whether another writer changed the output after a commit. Runs of some of its partitions are the transform's own: what they
 * wrote follows from inputs that the next run reads too.
 */
export async function outputMoved(
  { kernel, tables }: CarryOutDeps,
  { tenant, run, ref }: Job,
  { committed, outputAt }: { committed: Committed; outputAt: string | null },
): Promise<boolean> {
  const { rows } = await kernel
    .db(tenant)
    .transaction((tx) =>
      tx.sql(
        'select output_snapshot_id::text as at from transforms.transform_run where tenant_id = $1 and run_id = $2',
        [tenant.tenantId, committed.runId],
      ),
    );
  // A run without rows to write has made none.
  const own = (rows[0]?.at as string | null | undefined) ?? committed.state.output_at ?? null;
  if (outputAt === own) return false;
  const snapshots = await tables.snapshots(tenant, ref, { limit: NEWEST_SNAPSHOTS });
  const at = snapshots.findIndex(({ snapshotId }) => snapshotId === own);
  if (at < 0 && own !== null) return true;
  const since = snapshots.slice(0, at < 0 ? undefined : at).filter(({ operation }) => operation !== 'replace');
  const writers = new Set(since.map(({ runId }) => runId));
  const { rows: known } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select run_id from transforms.transform_run
         where tenant_id = $1 and transform_id = $2 and run_id = any ($3::uuid[]) and reason = 'backfill'`,
      [tenant.tenantId, run.subjectId, [...writers].flatMap((id) => id ?? [])],
    ),
  );
  return known.length < writers.size;
}
