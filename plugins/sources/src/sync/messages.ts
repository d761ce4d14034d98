import type { ConnectorLimits, ProcessConnector, StreamKey } from '@weir/connector-runtime';
import type { Mode, RunFailureRecord } from '@weir/kernel';

/** One stream as the sync process needs it. */
export interface ChildStream {
  key: StreamKey;
  streamId: string;
  /** Its rows are committed once, when it has ended well; otherwise at each STATE. */
  atEnd: boolean;
  /** Table schema with field ids, as the stager takes it. */
  schema: object;
  /** Folder of the data files, a `file://` location. */
  dataLocation: string;
}

/** Everything that one attempt needs. It travels over the channel between the two processes and is never written down. */
export interface ChildPlan {
  runId: string;
  mode: Mode;
  /** Scratch folder of this attempt alone. */
  workDir: string;
  image: string;
  connectors: Record<string, ProcessConnector>;
  /** What the operator tells every connector. */
  environment: Record<string, string>;
  limits: ConnectorLimits;
  /** After this much time a stream is committed at its next STATE. */
  commitAfterMs: number;
  labels: { tenant: string; source: string; execution: string; attempt: string };
  /** JSON texts of the protocol's input files. */
  config: string;
  catalog: string;
  state: string;
  streams: ChildStream[];
}

/** Staged files that may be committed, with the state that they reach. */
export interface CommitRequestMessage {
  kind: 'commit';
  streamId: string;
  files: object[];
  /** JSON text of the STATE; absent when the stream has none. */
  state?: string;
  rows: number;
  rowsWithErrors: number;
  bytes: number;
}

/** What the sync process asks of its parent, which holds the database; each is answered by its `id`. */
export type Ask =
  | { kind: 'stage'; streamId: string; location: string }
  | { kind: 'staged'; location: string }
  | CommitRequestMessage;

/** How far each stream has been read. */
export interface Progress {
  rows: number;
  bytes: number;
}

export interface StreamResult {
  streamId: string;
  rows: number;
  failure?: RunFailureRecord;
}

export type FromChild =
  | { type: 'ask'; id: number; ask: Ask }
  | { type: 'connector'; name: string; pid: number }
  | { type: 'progress'; streams: Record<string, Progress> }
  | { type: 'done'; streams: StreamResult[] }
  | { type: 'failed'; failure: RunFailureRecord; cause: string };

export type FromParent = { type: 'plan'; plan: ChildPlan } | { type: 'answer'; id: number } | { type: 'stop' };
