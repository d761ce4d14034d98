/** One table of a commit. */
export interface CommitTable {
  /** `<run>:<stream>:<batch>`: settles, for these very files, whether they are in the table. */
  readonly commitId: string;
  /** Nothing is to be written: an append of no files. */
  readonly isIdle: boolean;
  /** The snapshot on which it must stand, null for none; undefined where it stands on any. */
  readonly base: string | null | undefined;
  /** The commit id that the stream's newest snapshot must have, null for none; undefined where nobody asks. */
  readonly follows: string | null | undefined;
}

export interface CommitInput {
  /** In the order in which they move where they cannot move together; the one that decides comes first. */
  readonly tables: readonly CommitTable[];
  /** All pointers move in one step; otherwise one after the other. */
  readonly isAtomic: boolean;
  /** Checkpoints are stored in a step of their own, after the pointers; otherwise with them. */
  readonly storesCheckpointsApart: boolean;
  /** From which the pauses between tries are drawn. */
  readonly seed: number;
}

/** What is known of a table when it is read. */
export interface FoundTable {
  readonly snapshotId: string | null;
  /** The snapshot on its main line that carries the commit id, and whether it brought just these files. */
  readonly settled: { readonly snapshotId: string; readonly sameFiles: boolean } | undefined;
  /** The commit id of the newest snapshot of the same stream. */
  readonly newest: string | null;
}

/** The state of one table that is ready to be written. */
export interface Draft {
  /** The place of its table in the input. */
  readonly table: number;
  /** Null when the table stays as it is. */
  readonly snapshotId: string | null;
  /** Locations of what is to be written for it. */
  readonly files: readonly string[];
}

/** What is to be done. Tables are meant by their place in the input. */
export type CommitEffect =
  /** Read the tables as they are now. Answer: `loaded`. */
  | { readonly type: 'load' }
  /** Make the new state of these tables, on top of what was loaded last, and write nothing. Answer: `prepared`. */
  | { readonly type: 'prepare'; readonly tables: readonly number[] }
  /** Enter into the ledger what is to be written, with the checkpoints that wait for it. Answer: `intended`. */
  | { readonly type: 'intend'; readonly drafts: readonly Draft[]; readonly assertLease: boolean }
  /** Write it. Answer: `written`. */
  | { readonly type: 'write'; readonly drafts: readonly Draft[] }
  /** Move the pointers of these tables, all or none, and with them the checkpoints unless those come apart. */
  | {
      readonly type: 'move';
      readonly drafts: readonly Draft[];
      readonly assertLease: boolean;
      readonly assertReference: boolean;
    }
  /** Store the checkpoints, and take what the tables hold off the ledger. Answer: `promoted`. */
  | { readonly type: 'promote'; readonly assertLease: boolean }
  /** Remove what no pointer can ever name, and take it off the ledger. Answer: `removed`, also when it could not be. */
  | { readonly type: 'remove'; readonly drafts: readonly Draft[] }
  /** Answer: `waited`. */
  | { readonly type: 'wait'; readonly ms: number };

export type CommitEvent =
  | { readonly type: 'start' }
  | { readonly type: 'loaded'; readonly tables: readonly FoundTable[] }
  | { readonly type: 'prepared'; readonly drafts: readonly Draft[] }
  | { readonly type: 'intended' }
  | { readonly type: 'written' }
  | { readonly type: 'moved' }
  | { readonly type: 'promoted' }
  | { readonly type: 'removed' }
  | { readonly type: 'waited' }
  /** Certainly nothing has happened, because another commit came first. */
  | { readonly type: 'lost' }
  /** There was no answer: it may have happened, it may yet happen, or not. */
  | { readonly type: 'unknown'; readonly reason: unknown }
  /** Certainly nothing has happened, and a repetition would not help. */
  | { readonly type: 'refused'; readonly reason: unknown };

/** How a commit ends. After `unknown` the same commit may be asked for again, and finds out. */
export type CommitResult =
  /** By table, the snapshot that this commit made there; null where it made none. */
  | { readonly outcome: 'committed'; readonly snapshots: readonly (string | null)[] }
  | { readonly outcome: 'conflict'; readonly tries: number }
  | { readonly outcome: 'base_moved' }
  | { readonly outcome: 'superseded' }
  /** The commit id is in the table with other files. */
  | { readonly outcome: 'reused' }
  | { readonly outcome: 'unknown'; readonly reason: unknown }
  | { readonly outcome: 'refused'; readonly reason: unknown };

export interface CommitState {
  readonly phase:
    | 'idle'
    | 'loading'
    | 'preparing'
    | 'intending'
    | 'writing'
    | 'moving'
    | 'promoting'
    | 'removing'
    | 'waiting'
    | 'ended';
  readonly tries: number;
  readonly seed: number;
  /** Snapshots that tables were found to have of this commit, by table. */
  readonly settled: readonly (string | null)[];
  /** What is written, or about to be, in the order in which it moves. */
  readonly drafts: readonly Draft[];
  /** How many of `drafts` have moved. */
  readonly moved: number;
  /** With what the commit ends once what it wrote is removed; undefined when it is to be tried again. */
  readonly afterwards: CommitResult | undefined;
  readonly result: CommitResult | undefined;
}
