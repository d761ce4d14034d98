import type { RunReason } from '../contract.ts';
import type { PinnedSnapshot } from './entities.ts';

/** What the last commit of a transform stood on, as it was stored with the rows. */
export interface CommittedState {
  /** The artifact that was carried out. */
  artifact_id: string;
  inputs: readonly PinnedSnapshot[];
  /** The same datasets, each at the newest snapshot that changed rows. */
  rows_at: readonly PinnedSnapshot[];
}

/** Why a run does its work. */
export interface Why {
  reason: RunReason;
  /** The datasets whose rows are others than they were, or that were not read before; ids. */
  moved: readonly string[];
}

/** What a run finds: its own state, that of the last commit, and whether it was asked for in any case. */
interface Found {
  now: CommittedState;
  before: CommittedState | undefined;
  isForced: boolean;
}

/** Why a run does its work; undefined when nothing has moved since the last commit and nobody forces it. Pure. */
export function whyRun({ now, before, isForced }: Found): Why | undefined {
  if (before === undefined) return { reason: 'first', moved: [] };
  const known = new Map(before.rows_at.map(({ dataset_id, snapshot_id }) => [dataset_id, snapshot_id]));
  const moved = now.rows_at.flatMap(({ dataset_id, snapshot_id }) =>
    known.has(dataset_id) && known.get(dataset_id) === snapshot_id ? [] : [dataset_id],
  );
  if (before.artifact_id !== now.artifact_id) return { reason: 'definition_changed', moved };
  if (moved.length > 0) return { reason: 'input_moved', moved };
  return isForced ? { reason: 'forced', moved } : undefined;
}
