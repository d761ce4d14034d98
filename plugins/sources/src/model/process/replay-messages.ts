import type { RunFailureRecord } from '@weir/kernel';
import type { RowShape } from './messages.ts';
import type { WantedColumn } from './sync-types.ts';

/** What the process of a replay is given: the lines to take, and how they become rows today. */
export interface ReplayPlan {
  runId: string;
  /** Scratch folder of this attempt alone. */
  workDir: string;
  /** What opens the store of the tables, as `prepare` gave it; it may hold credentials. */
  store: object;
  select: { runId?: string; reasons?: readonly string[]; liveRuns?: readonly string[] };
  rows: { shape: RowShape; folder: string; merge: ReplayMerge | undefined };
  quarantine: { metadataLocation: string; schema: object; folder: string };
  /** Whether members that no column holds end the work before anything but staged files has come of it. */
  stopAtUnknown: boolean;
}

/** How rows of a stream that merges find those that they replace. */
export interface ReplayMerge {
  folder: string;
  key: readonly number[];
  /** The metadata of the table that is merged into, if it is there. */
  into: string | undefined;
  mode: 'merge' | 'soft_delete';
  deleteMarker?: number;
}

/** Files that a commit brings to one table, those that were staged for it, and locations of live ones that it takes away. */
export interface FileChange {
  files: readonly object[];
  staged: readonly object[];
  removed: readonly string[];
}

/** What became of the lines. */
export interface Replayed {
  lines: number;
  /** Lines of runs whose rows a later one has replaced; they stay, untried. */
  superseded: number;
  rows: number;
  rowsWithErrors: number;
  rowsWithExtra: number;
  rejected: number;
  reasons: Readonly<Record<string, number>>;
  /** Members that no column holds. */
  unknown: readonly WantedColumn[];
  table: FileChange;
  quarantine: FileChange;
}

export type FromReplay =
  /** It lives. */
  { type: 'pulse' } | { type: 'done'; replayed: Replayed } | { type: 'failed'; failure: RunFailureRecord };
