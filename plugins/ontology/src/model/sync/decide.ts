import type { ReplayReason, SyncMode } from './words.ts';

/** What became of the rows of the table since the applied snapshot; `unknown` where that cannot be said. */
export const SNAPSHOT_CHANGES = ['same', 'added', 'changed', 'unknown'] as const;
export type SnapshotChange = (typeof SNAPSHOT_CHANGES)[number];

/** What a run does, and why it replays rows that did not change. */
export interface Decision {
  mode: SyncMode;
  replayReason: ReplayReason | null;
  effectiveSpecChanged: boolean;
}

const MODES: Readonly<Record<SnapshotChange, SyncMode>> = {
  same: 'skip',
  added: 'append',
  changed: 'diff',
  unknown: 'diff',
};

/**
 * Decides what a run does from the fingerprint that is applied, the one that it attempts, and its table. `dirty`: a later run sent
 * a part of its entities and did not succeed.
 */
export function decide(
  applied: string | null,
  attempted: string,
  snapshot: SnapshotChange,
  { force, dirty }: { force: boolean; dirty: boolean },
): Decision {
  if (applied === null) return { mode: 'full', replayReason: 'initial', effectiveSpecChanged: false };
  const effectiveSpecChanged = applied !== attempted;
  if (force) return { mode: 'full', replayReason: 'forced', effectiveSpecChanged };
  if (effectiveSpecChanged) return { mode: 'full', replayReason: 'effective_spec_changed', effectiveSpecChanged };
  if (dirty) return { mode: 'diff', replayReason: 'recover_partial_run', effectiveSpecChanged };
  const replayReason = snapshot === 'unknown' ? 'snapshot_lineage' : null;
  return { mode: MODES[snapshot], replayReason, effectiveSpecChanged };
}
