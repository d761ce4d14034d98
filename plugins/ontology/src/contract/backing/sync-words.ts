/** When a backing dataset is synced: after each commit of its table, or on request alone. */
export const SYNC_STARTS = ['on_snapshot', 'manual'] as const;
/** Why a sync is pending. */
export const PENDING_REASONS = ['new_snapshot', 'effective_spec_changed', 'initial', 'recover_partial_run'] as const;
export const SYNC_MODES = ['skip', 'append', 'diff', 'full'] as const;
export type SyncMode = (typeof SYNC_MODES)[number];
/** Why a run replays rows that did not change. */
export const REPLAY_REASONS = [
  ...(['initial', 'effective_spec_changed', 'forced', 'recover_partial_run', 'snapshot_lineage'] as const),
] as const;
export type ReplayReason = (typeof REPLAY_REASONS)[number];
