export {
  PENDING_REASONS,
  REPLAY_REASONS,
  type ReplayReason,
  SYNC_MODES,
  SYNC_STARTS,
  type SyncMode,
} from '../../contract/backing/sync-words.ts';

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
