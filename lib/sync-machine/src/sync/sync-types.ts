/** What the machine of a sync passes on and never looks into. */
export interface SyncTypes {
  /** The text of a STATE; equal states are the same. */
  readonly state: string | number;
  /** What staging made of a segment, or of its rejected lines: files and their counts. */
  readonly part: unknown;
  /** A member of the rows that no column holds. */
  readonly column: { readonly name: string };
  /** The files that take the place of a batch that was merged. */
  readonly merged: unknown;
  /** Why something failed. */
  readonly failure: unknown;
}

/** What becomes of members that no column holds: kept apart, made columns, or the end of the stream. */
export type SchemaChangePolicy = 'capture' | 'evolve' | 'freeze';

/** One stream as this attempt finds it. */
export interface PlannedStream<T extends SyncTypes> {
  readonly id: string;
  /** It is read from a state and tells its own; its rows count as read only up to the last one. */
  readonly isStateful: boolean;
  /** Its rows are committed once, when it has ended well. */
  readonly atEnd: boolean;
  /** The commit takes the place of all rows that are there, even with none. */
  readonly replaces: boolean;
  /** A batch is merged into the table by its key. */
  readonly merges: boolean;
  /** A full set of rows is merged, and what it lacks is marked, so that even an empty one changes the table. */
  readonly marksMissing: boolean;
  /** The table is not there, or lacks columns: a commit of rows changes that, and so does one that ends the stream well. */
  readonly changesTable: boolean;
  readonly policy: SchemaChangePolicy;
  /** Lines that one run may reject. */
  readonly maxRejected: number;
  /** The last batch that this run has committed, 0 for none. */
  readonly batch: number;
  /** Lines that this run has rejected before. */
  readonly rejected: number;
  /** The state that is stored. */
  readonly state: T['state'] | undefined;
}

/** A piece of a stream that lies sealed in the spool. */
export interface Segment<T extends SyncTypes> {
  readonly id: number;
  readonly stream: string;
  /** False when only the state moved. */
  readonly hasRows: boolean;
  /** There when every row up to that STATE lies in this segment or an earlier one of this attempt. */
  readonly state: T['state'] | undefined;
  /** That state is one for all streams that tell states. */
  readonly isShared: boolean;
  /** Files whose earlier rows go with the next state; null stands for rows without the name of their file. */
  readonly replacedFiles: readonly (string | null)[];
  /** The stream has no further segment. */
  readonly isFinal: boolean;
}

/** Rows that are staged and not yet committed. */
export interface Batch<T extends SyncTypes> {
  readonly parts: readonly T['part'][];
  readonly quarantine: readonly T['part'][];
  readonly rejected: number;
  /** Files whose rows of before are taken out by the commit that brings these parts. */
  readonly replacedFiles: readonly (string | null)[];
  /** The state that covers all of it. */
  readonly state: T['state'] | undefined;
}

/** Where files are written: a folder by number, never used twice by one attempt. */
export type Place = number;

/** What is to be done. Those marked so are the child's; the others are for the process that holds the database. */
export type SyncEffect<T extends SyncTypes> =
  /** Enter a place into the ledger. Answer: `intended`. */
  | { readonly type: 'intend'; readonly stream: string; readonly of: 'rows' | 'quarantine'; readonly place: Place }
  /** Child: type a segment into files. Answer: `staged`. */
  | { readonly type: 'stage'; readonly segment: Segment<T>; readonly place: Place }
  /** Child: write the lines that were just rejected. Answer: `quarantined`. */
  | { readonly type: 'quarantine'; readonly stream: string; readonly place: Place }
  /** Child: the segment is not needed any more. No answer. */
  | { readonly type: 'release'; readonly segment: number }
  /** Give the table these columns. Answer: `evolved`. */
  | { readonly type: 'evolve'; readonly stream: string; readonly columns: readonly T['column'][] }
  /** Child: merge a batch into the table as it is now. Answer: `merged`. */
  | {
      readonly type: 'merge';
      readonly stream: string;
      readonly batch: Batch<T>;
      readonly place: Place;
      /** The table's rows go away, so that there is nothing to merge into. */
      readonly replaces: boolean;
    }
  /** Commit batches with their states, all or none of them. Answer: `committed` or `base_moved`. */
  | { readonly type: 'commit'; readonly batches: readonly CommitBatch<T>[] }
  /** Child: stop the connector; it ends as it can. No answer. */
  | { readonly type: 'stop' };

/** What one stream brings to a commit. */
export interface CommitBatch<T extends SyncTypes> {
  readonly stream: string;
  /** Its number; counts on across the attempts of a run. */
  readonly number: number;
  readonly batch: Batch<T>;
  /** What takes the place of the parts of a stream that merges. */
  readonly merged: T['merged'] | undefined;
  readonly replaces: boolean;
  /** It makes the table, or gives it its columns, where that has to be done. */
  readonly changesTable: boolean;
  /** With it the stream is done: another attempt of this run finds nothing left to do. */
  readonly isWhole: boolean;
}

export type SyncEvent<T extends SyncTypes> =
  | { readonly type: 'sealed'; readonly segment: Segment<T> }
  /** The connector has ended, and everything it sent is sealed: how each stream ended, failed ones with why. */
  | { readonly type: 'read'; readonly failures: Readonly<Record<string, T['failure'] | undefined>> }
  | { readonly type: 'intended' }
  | {
      readonly type: 'staged';
      readonly part: T['part'];
      readonly rejected: number;
      readonly unknown: readonly T['column'][];
    }
  | { readonly type: 'quarantined'; readonly part: T['part'] }
  | { readonly type: 'evolved' }
  | { readonly type: 'merged'; readonly merged: T['merged'] }
  | { readonly type: 'committed' }
  /** The table has moved on since the merge; nothing was committed. */
  | { readonly type: 'base_moved' }
  /** What was asked for cannot be done for this stream; the others go on. */
  | { readonly type: 'stream_failed'; readonly failure: T['failure'] }
  /** What was asked for has failed, or a process was lost: the attempt is over. */
  | { readonly type: 'failed'; readonly failure: T['failure'] }
  /** The run is to be cancelled. */
  | { readonly type: 'cancel' };

/** Why a stream failed by a rule of the engine. */
export type RuleBroken<T extends SyncTypes> =
  | { readonly rule: 'schema_frozen'; readonly columns: readonly T['column'][] }
  | { readonly rule: 'too_many_rejects'; readonly limit: number }
  /** It ended well, but with rows behind its last STATE: they would be read and written again and again. */
  | { readonly rule: 'rows_uncovered' }
  | { readonly rule: 'table_contended'; readonly tries: number }
  /** It shares its state with a stream that failed, and so could not go on without that one. */
  | { readonly rule: 'state_held' };

/** How a stream failed: by what was reported of it, or by a rule. */
export type StreamFailure<T extends SyncTypes> = { readonly reported: T['failure'] } | RuleBroken<T>;

/** What a stream stands at. */
export interface StreamState<T extends SyncTypes> {
  readonly plan: PlannedStream<T>;
  readonly batch: Batch<T>;
  /** Whether the table is yet to be made, or to get columns. */
  readonly changesTable: boolean;
  /** Parts behind the state of the batch; they wait for theirs. */
  readonly uncovered: Batch<T>;
  readonly number: number;
  readonly rejected: number;
  readonly state: T['state'] | undefined;
  readonly sawState: boolean;
  readonly failure: StreamFailure<T> | undefined;
  readonly isClosed: boolean;
}

/** What is under way for a segment or a commit; nothing else is begun until it is over. */
export type Task<T extends SyncTypes> =
  | {
      readonly kind: 'segment';
      readonly segment: Segment<T>;
      readonly place: Place;
      /** The columns that it needs were added: what no column holds now stays apart. */
      readonly isEvolved: boolean;
      /** Staged, and waiting for its rejected lines to be written. */
      readonly staged: { readonly part: T['part']; readonly rejected: number } | undefined;
    }
  | {
      readonly kind: 'commit';
      /** Those that are committed in one step. */
      readonly streams: readonly string[];
      readonly isWhole: boolean;
      /** What became of the batches that were merged so far, by stream. */
      readonly merged: Readonly<Record<string, T['merged']>>;
      /** The stream whose batch is merged now, and where to. */
      readonly merging: { readonly stream: string; readonly place: Place } | undefined;
      /** How often the batches were merged, the time under way included. */
      readonly merges: number;
    };

export interface SyncState<T extends SyncTypes> {
  readonly streams: Readonly<Record<string, StreamState<T>>>;
  /** Sealed segments that wait for their turn. */
  readonly queue: readonly Segment<T>[];
  readonly task: Task<T> | undefined;
  /** How the streams ended, once all of them have. */
  readonly failures: Readonly<Record<string, T['failure'] | undefined>> | undefined;
  /** Places given out so far. */
  readonly places: number;
  /** A state for all streams was told: from then on those that tell states are committed together. */
  readonly isShared: boolean;
  /** Why the attempt is over before its end. */
  readonly failed: { readonly reported: T['failure'] } | undefined;
  readonly isDone: boolean;
}
