/**
 * What keeps rows from being lost or doubled, each by a name. A test takes one out at a time to see that it is missed;
 * everything else takes them all, which is why no setting reaches them.
 */
export interface Fences {
  /** A commit id that a table carries is never committed again. */
  readonly commitId: boolean;
  /** A pointer moves only from where it was read. */
  readonly reference: boolean;
  /** An attempt that is no longer the newest of an open run commits nothing. */
  readonly lease: boolean;
  /** Rows are committed with the state that covers them, never before. */
  readonly checkpointOrder: boolean;
  /** Streams that share one state are committed with it in one step. */
  readonly together: boolean;
  /** What is to be written is in the ledger first. */
  readonly intents: boolean;
  /** A commit that an earlier attempt left open cannot land once a later attempt plans. */
  readonly openCommits: boolean;
}

/** Every fence in its place. */
export const ALL_FENCES: Fences = {
  commitId: true,
  reference: true,
  lease: true,
  checkpointOrder: true,
  together: true,
  intents: true,
  openCommits: true,
};
