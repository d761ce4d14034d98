import type { Readable } from 'node:stream';
import type { ConnectorErrorCode } from './connector-error.ts';

export type ConnectorVerb = 'spec' | 'check' | 'discover' | 'read';

/** Whose run this is. Names a run in labels and process lists; carries no configuration. */
export type ConnectorLabels = {
  readonly tenant: string;
  readonly source: string;
  readonly execution: string;
  readonly attempt: string;
};

/** The protocol inputs, each the JSON text of one file, so that no number of them passes through a double. */
export type ConnectorInputs = { readonly config?: string; readonly catalog?: string; readonly state?: string };

/** Bounds of one run. A runtime that cannot enforce one passes it on as a request. */
export type ConnectorLimits = {
  readonly memoryMiB?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly tmpMiB?: number;
};

export type ConnectorRun = {
  readonly image: string;
  readonly role: string;
  readonly labels: ConnectorLabels;
  readonly verb: ConnectorVerb;
  readonly inputs?: ConnectorInputs;
  readonly limits?: ConnectorLimits;
  /** Offers to take records as segments; for connectors that say they know the offer. */
  readonly segments?: boolean;
  /** The digest or id of the image that an earlier run has recorded; another one under the same name is refused. */
  readonly pinned?: string;
  /** False where only an image that is in the engine already may be run. */
  readonly mayPull?: boolean;
  /** A pull of layers that are larger together is broken off. */
  readonly maxPullBytes?: number;
  /** Asked by a runtime that pulls, before anything is given to the image; what it throws is thrown as it is. */
  readonly admit?: (image: RunImage) => void;
  /** Told that the image is pulled, and how far it is, by a runtime that pulls. */
  readonly onPull?: (progress: PullProgress) => void;
  /** Told when the connector is about to start: what is left of that is none of our work, so that there is time for other. */
  readonly onStarting?: () => void;
  /** Told every piece of stderr as it comes, unmasked. */
  readonly onStderr?: (piece: Uint8Array) => void;
  /** Aborting is the same as calling `stop`. */
  readonly signal?: AbortSignal;
};

/** How far a pull is: bytes of the layers that are known so far. */
export type PullProgress = { readonly image: string; readonly bytes: number; readonly totalBytes: number };

/** Which image was run. */
export type RunImage = { readonly digest: string; readonly id: string; readonly architecture: string };

/** How the connector ended. `stopped` tells that we asked for it, whatever the code says. */
export type ConnectorExit = {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly oomKilled: boolean;
  readonly stopped: boolean;
  /** Why the runtime itself says that this end counts for nothing. */
  readonly failure?: ConnectorErrorCode;
};

/** Where a connector that was offered it puts its segments. Whoever reads its output destroys the folder after that. */
export type SegmentFolder = {
  readonly path: string;
  /** Its files are of the connector's own user, which is another than ours. */
  readonly ofOthers?: boolean;
  readonly destroy: () => Promise<void>;
};

/** A started connector. The caller reads `stdout` to its end; an unread stdout holds the connector back. */
export type ConnectorProcess = {
  readonly name: string;
  readonly pid: number | undefined;
  /** There if it runs in a container. */
  readonly image?: RunImage;
  /** The raw bytes of stdout, nothing parsed, nothing dropped. */
  readonly stdout: Readable;
  /** There if segments were offered. */
  readonly segments?: SegmentFolder;
  /** The last 64 KiB of stderr as text. */
  readonly stderrTail: () => string;
  /** Resolves when the connector has ended and its inputs are destroyed; never rejects. */
  readonly exit: Promise<ConnectorExit>;
  /** There if it runs in a container: resolves when that is removed, or could not be and is left to the reaper. */
  readonly removed?: Promise<void>;
  /** There if it runs in a container: the bound at which it stands now, if it does. Never rejects. */
  readonly boundNow?: () => Promise<ConnectorErrorCode | undefined>;
  /** Asks the connector to stop, kills it after the grace time, resolves with its end. May be called twice. */
  readonly stop: () => Promise<ConnectorExit>;
};

/**
 * The port that every runtime implements: one connector, one verb, one attempt. `run` resolves once the connector
 * is started and rejects with a ConnectorError when it could not be. Inputs live in files of a workspace of the
 * attempt alone (owner-only, made exclusively) and are destroyed when the run ends, however it ends.
 */
export type ConnectorRuntime = { readonly run: (request: ConnectorRun) => Promise<ConnectorProcess> };

/** Time between asking a connector to stop and killing it. */
export const STOP_GRACE_MS = 10_000;

/** How much of stderr is kept for diagnosis. */
export const STDERR_TAIL_BYTES = 64 * 1024;
