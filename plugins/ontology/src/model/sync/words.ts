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

/** What a run did. `read` counts rows of the table, the others entities; `rejected` counts rows that became no entity. */
export interface SyncCounts {
  read: number;
  upserted: number;
  deleted: number;
  unchanged: number;
  rejected: number;
}

/** What a run read and what it filled. */
export interface SyncLineage {
  dataset_id: string;
  snapshot_id: string | null;
  entity_type_code: string;
  entity_type_version: number;
  columns: { column: string; property: string }[];
}

export const NO_COUNTS: SyncCounts = { read: 0, upserted: 0, deleted: 0, unchanged: 0, rejected: 0 };
