import type { Kernel, RunRecord, TenantTransaction } from '@weir/kernel';
import type { SchedulesService } from '@weir/plugin-workflow-engine/contract';
import type { FiringView, ScheduleView } from '../../contract.ts';
import type { FiringRow, ScheduleRow } from '../../model/schedule/entity.ts';
import { SourceEntity } from '../../model/source/entity.ts';
import { lastFirings } from './firings.ts';

const NEXT_RUNS = 5;
const LAST_FIRINGS = 10;

interface ViewDeps {
  kernel: Pick<Kernel, 'runs'>;
  schedules: SchedulesService;
}

/** Schedules as the wire shows them, with what belongs to all of them read at once. */
export async function scheduleViews(
  { kernel, schedules }: ViewDeps,
  tx: TenantTransaction,
  rows: readonly ScheduleRow[],
): Promise<ScheduleView[]> {
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const sources = rows.length === 0 ? [] : await tx.find(SourceEntity, { sourceId: { $in: sourceIds } });
  const names = new Map(sources.map(({ sourceId, name }) => [sourceId, name]));
  const firings = await lastFirings(tx, sourceIds, LAST_FIRINGS);
  const runIds = [...firings.values()].flat().flatMap(({ runId }) => runId ?? []);
  const runs = new Map((await kernel.runs.findMany(tx, runIds)).map((run) => [run.runId, run]));
  const now = new Date();
  return rows.map((row) => {
    const nextRuns = row.pausedAt ? [] : schedules.nextRuns(row.times, now, NEXT_RUNS);
    return {
      source_id: row.sourceId,
      source_name: names.get(row.sourceId) ?? '',
      ...row.times,
      overlap: row.overlap,
      sentence: schedules.sentence(row.times),
      next_run_at: nextRuns[0]?.at ?? null,
      next_runs: nextRuns,
      clock_changes: schedules.clockChanges(row.times, now),
      paused: Boolean(row.pausedAt),
      paused_at: row.pausedAt?.toISOString() ?? null,
      paused_by: row.pausedBy ?? null,
      pause_reason: row.pauseReason ?? null,
      in_line: row.appliedVersion === row.version,
      last_firings: (firings.get(row.sourceId) ?? []).map((firing) => firingView(firing, runs.get(firing.runId ?? ''))),
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      updated_by: row.updatedBy,
      etag: String(row.version),
    };
  });
}

function firingView(firing: FiringRow, run: RunRecord | undefined): FiringView {
  const { outcome } = firing;
  const failure = run?.failure;
  return {
    firing_id: firing.firingId,
    origin: firing.origin,
    scheduled_at: firing.scheduledAt.toISOString(),
    fired_at: firing.firedAt.toISOString(),
    requested_by: firing.requestedBy,
    status: outcome === 'started' ? (run?.status ?? 'pending') : outcome,
    run_id: firing.runId ?? null,
    reason: failure === undefined ? (firing.reason ?? null) : reasonOf(failure),
  };
}

const reasonOf = ({ code, detail, hint }: NonNullable<RunRecord['failure']>) => ({ code, detail, hint: hint ?? null });
