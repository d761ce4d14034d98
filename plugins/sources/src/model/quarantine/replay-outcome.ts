import type { Checkpoint } from '@weir/plugin-datasets/contract';
import type { ReplayOutcomeView } from '../../contract.ts';
import type { Replayed } from '../process/replay-messages.ts';

/** What a replay tells of its lines; none at all where there is no quarantine table. Pure. */
export function replayOutcome(replayed: Replayed | undefined, snapshotId: string | null): ReplayOutcomeView {
  const reasons = Object.entries(replayed?.reasons ?? {}).map(([reason, lines]) => ({ reason, lines }));
  return {
    lines: replayed?.lines ?? 0,
    superseded: replayed?.superseded ?? 0,
    rows: replayed?.rows ?? 0,
    rows_with_errors: replayed?.rowsWithErrors ?? 0,
    rows_with_extra: replayed?.rowsWithExtra ?? 0,
    rejected: replayed?.rejected ?? 0,
    reasons: reasons.sort((a, b) => b.lines - a.lines || (a.reason < b.reason ? -1 : 1)),
    snapshot_id: snapshotId,
  };
}

/** What an attempt before has stored along with what it changed; undefined when none has. */
export function storedOutcome(checkpoint: Checkpoint | undefined): ReplayOutcomeView | undefined {
  return checkpoint?.state === undefined || checkpoint.state === null
    ? undefined
    : (checkpoint.state as ReplayOutcomeView);
}
