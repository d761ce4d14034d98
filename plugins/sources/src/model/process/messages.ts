import type { ConnectorLimits, ProcessConnector, PullProgress, RunImage, StreamKey } from '@weir/connector-runtime';
import type { SyncEvent } from '@weir/engine';
import type { Mode, RunFailureRecord } from '@weir/kernel';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import type { Failure } from '@weir/work';
import type { ReadNotes } from '../notes/read-notes.ts';
import type { RuntimeChoice } from '../runtime/runtime-choice.ts';
import type { StagedPart, Sync } from './sync-types.ts';

/** The word by which a sync process is told at its start that its connector will run in a container. */
export const IN_CONTAINERS = '--in-containers';

/** One stream as the sync process needs it. */
export interface ChildStream {
  key: StreamKey;
  streamId: string;
  /** It tells states: what comes behind its last one is not kept. */
  isStateful: boolean;
}

/** Everything that one attempt needs. It travels over the channel between the two processes and is never written down. */
export interface ChildPlan {
  runId: string;
  mode: Mode;
  /** Scratch folder of this attempt alone. */
  workDir: string;
  /** What opens the store of the tables, as `prepare` gave it; it may hold credentials. */
  store: object;
  image: string;
  connectors: Record<string, ProcessConnector>;
  /** What runs it; its engine was seen to be ready. */
  runtime: RuntimeChoice;
  /** The image that discovery has run; another one is refused. */
  pinned: string | undefined;
  /** What the operator tells every connector. */
  environment: Record<string, string>;
  limits: ConnectorLimits;
  /** Its pattern says that it hands over Parquet files where they are taken. */
  segments: boolean;
  /** After this much time a stream is committed at its next STATE. */
  commitAfterMs: number;
  /** How long the connector may be silent. */
  connectorSilenceMs: number;
  labels: { tenant: string; source: string; execution: string; attempt: string };
  /** Texts of the credentials in `config`, by which they are known in what the connector says. */
  secrets: readonly string[];
  /** Lines of the connector that are kept, and as many KiB. */
  maxLogLines: number;
  /** JSON texts of the protocol's input files. */
  config: string;
  catalog: string;
  state: string;
  /** The position of the last state for all streams that was stored. */
  lastPosition: number;
  streams: ChildStream[];
}

/** How the rows of a stream are typed. */
export interface RowShape {
  /** Table schema with field ids, as the stager takes it. */
  schema: object;
  spec: object;
  /** Members whose values belong in `_extra`: they are no news. */
  extra: readonly string[];
  /** Text columns that hold JSON. */
  json: readonly string[];
  /** Field ids of the key by which rows are merged; rows then keep their order. */
  key?: readonly number[];
}

/** A batch that is merged into the table whose metadata lies at `into`; nothing is there to merge into when undefined. */
export interface MergeWork {
  kind: 'merge';
  folder: string;
  shape: RowShape & { key: readonly number[] };
  parts: readonly StagedPart[];
  /** Files whose rows of before are replaced by the batch; with no key nothing else is looked up. */
  replacedFiles: readonly (string | null)[];
  into: string | undefined;
  mode: 'merge' | 'soft_delete';
  /** The batch is all that the source has. */
  isComplete: boolean;
  /** Field id of the column that marks a deleted row. */
  deleteMarker?: number;
}

/** Work that the parent gives the sync process; each is answered by its id with an event of the engine. */
export type Work =
  | { kind: 'stage'; segment: number; folder: string; shape: RowShape }
  /** Writes the lines of that segment which were just rejected. */
  | { kind: 'quarantine'; stream: string; folder: string; schema: object }
  | MergeWork;

/** How far each stream has been read. */
export interface Progress {
  rows: number;
  bytes: number;
}

export interface StreamResult {
  streamId: string;
  failure?: Failure;
}

export type FromChild =
  /** It lives. */
  | { type: 'pulse' }
  /** Something was sealed, with what was noted of its stream before it, or everything was read. */
  | { type: 'event'; event: Extract<SyncEvent<Sync>, { type: 'sealed' | 'read' }>; notes?: ReadNotes }
  | { type: 'done'; id: number; event: SyncEvent<Sync> }
  | { type: 'connector'; name: string; pid: number }
  /** Which image runs, when it does in a container. */
  | { type: 'image'; image: RunImage }
  /** How far the image is pulled. */
  | { type: 'pull'; progress: PullProgress }
  | { type: 'progress'; streams: Record<string, Progress> }
  /** What this attempt has noted so far of these streams. */
  | { type: 'noted'; streams: Record<string, ReadNotes> }
  /** What the connector reports as its configuration, with credentials that it renewed; to be kept at once. */
  | { type: 'rotated'; config: Readonly<Record<string, unknown>> }
  /** Lines of the run's log, masked; the next ones come when they were taken. */
  | { type: 'log'; lines: readonly RunLogEntry[] }
  | { type: 'failed'; failure: RunFailureRecord; cause: string };

export type FromParent =
  /** What is to be done, and variables with which the trace of the attempt goes on. */
  | { type: 'plan'; plan: ChildPlan; trace: Record<string, string> }
  | { type: 'work'; id: number; work: Work }
  | { type: 'release'; segment: number }
  | { type: 'logged' }
  /** The connector is to stop; what it has sent still counts. */
  | { type: 'stop' }
  /** Nothing is left to be done. */
  | { type: 'end' };
