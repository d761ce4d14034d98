import { closeSync, openSync, rmSync, truncateSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { ConnectorError } from './connector-error.ts';
import type { StreamKey } from './stream-key.ts';

/** A segment is sealed at this size even without a STATE. */
export const SEGMENT_BYTES = 256 * 1024 * 1024;
/** At a STATE a segment is sealed once it holds this share of its size, so that seals fall on STATEs. */
const SEAL_AT_STATE_SHARE = 0.75;
/** At a STATE a stream is sealed when its last seal is older than this. */
export const SEAL_AFTER_MS = 60_000;
/** How many sealed segments may wait for their consumer before the connector is held back. */
export const MAX_WAITING_SEGMENTS = 2;
/** Lines are collected to writes of this size. */
const WRITE_BYTES = 1024 * 1024;

/**
 * A finished piece of one stream. `state` is there when every row up to that STATE lies in this segment or an
 * earlier one, and no row after it does unless `final`; a consumer commits there and nowhere else. `path` is
 * absent when only the state moved. `release` deletes the file and lets the connector go on.
 */
export type SealedSegment = {
  readonly stream: StreamKey;
  readonly sequence: number;
  readonly path: string | undefined;
  readonly lines: number;
  readonly bytes: number;
  readonly state: string | undefined;
  readonly final: boolean;
  readonly release: () => void;
};

export type Spool = {
  /** Adds whole lines to a stream. */
  readonly write: (stream: StreamKey, lines: Uint8Array, count: number) => void;
  /** Notes a STATE after the lines written so far; `state` is the JSON text to store. */
  readonly mark: (stream: StreamKey, state: string) => void;
  /** Resolves when there is room again; rejects when the spool was failed. Called between two writes. */
  readonly ready: () => Promise<void>;
  /** Ends a stream: keeps everything, or only what lies before its last STATE. */
  readonly finish: (stream: StreamKey, rows: 'all' | 'until-last-state') => void;
  /** Ends the spool: `segments` ends after the last sealed one. Without an error every stream must be finished. */
  readonly close: (error?: unknown) => void;
  /** The sealed segments in order, once; throws the error that the spool was closed with. */
  readonly segments: () => AsyncGenerator<SealedSegment, void, void>;
};

export type SpoolOptions = {
  readonly dir: string;
  readonly segmentBytes?: number;
  readonly sealAfterMs?: number;
  readonly maxWaiting?: number;
  readonly now?: () => number;
};

type Mark = { readonly state: string; readonly bytes: number; readonly lines: number };
type Open = {
  readonly stream: StreamKey;
  sequence: number;
  path: string;
  pending: Uint8Array[];
  pendingBytes: number;
  bytes: number;
  lines: number;
  mark: Mark | undefined;
  sealedAt: number;
};

/** The spool of one sync: plain files of raw RECORD lines below `dir`, one open segment a stream. */
export function createSpool(options: SpoolOptions): Spool {
  const { dir, segmentBytes = SEGMENT_BYTES, sealAfterMs = SEAL_AFTER_MS, now = Date.now } = options;
  const queue = createQueue(options.maxWaiting ?? MAX_WAITING_SEGMENTS);
  const streams = new Map<StreamKey, Open>();
  let files = 0;

  const begin = (stream: StreamKey, sequence: number): Open => {
    const path = join(dir, `${files++}.ndjson`);
    const fresh = { pending: [], pendingBytes: 0, bytes: 0, lines: 0, mark: undefined, sealedAt: now() };
    const open = { stream, sequence, path, ...fresh };
    streams.set(stream, open);
    return open;
  };
  const openOf = (stream: StreamKey) => streams.get(stream) ?? begin(stream, 0);
  const seal = (open: Open, end: { final: boolean }) => {
    flush(open);
    const { stream, sequence, path, bytes, lines, mark } = open;
    const state = mark !== undefined && (end.final || mark.bytes === bytes) ? mark.state : undefined;
    begin(stream, sequence + 1);
    if (lines === 0 && state === undefined && !end.final) return;
    const file = lines === 0 ? undefined : path;
    const release = once(() => {
      if (file !== undefined) rmSync(file, { force: true });
      queue.released();
    });
    queue.put({ stream, sequence, path: file, lines, bytes, state, final: end.final, release });
  };

  return {
    write(stream, lines, count) {
      const open = openOf(stream);
      open.pending.push(lines);
      open.pendingBytes += lines.byteLength;
      open.bytes += lines.byteLength;
      open.lines += count;
      if (open.pendingBytes >= WRITE_BYTES) flush(open);
      if (open.bytes >= segmentBytes) seal(open, { final: false });
    },
    mark(stream, state) {
      const open = openOf(stream);
      open.mark = { state, bytes: open.bytes, lines: open.lines };
      const large = open.bytes >= segmentBytes * SEAL_AT_STATE_SHARE;
      if (large || now() - open.sealedAt >= sealAfterMs) seal(open, { final: false });
    },
    ready: queue.ready,
    finish(stream, rows) {
      const open = openOf(stream);
      if (rows === 'until-last-state') cutAtMark(open);
      seal(open, { final: true });
      streams.delete(stream);
    },
    close: queue.close,
    segments: queue.take,
  };
}

/** Forgets the rows after the last STATE of this segment, all of them when it holds none. */
function cutAtMark(open: Open): void {
  flush(open);
  const bytes = open.mark?.bytes ?? 0;
  if (bytes < open.bytes) truncateSync(open.path, bytes);
  if (bytes === 0 && open.bytes > 0) rmSync(open.path, { force: true });
  open.bytes = bytes;
  open.lines = open.mark?.lines ?? 0;
}

/** Appends what is pending. Synchronous: it lands in the page cache, and nothing else waits on this loop. */
function flush(open: Open): void {
  if (open.pendingBytes === 0) return;
  try {
    const file = openSync(open.path, 'a', 0o600);
    try {
      writeAll(file, open.pending);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw new ConnectorError('spool_failed', { cause });
  }
  open.pending = [];
  open.pendingBytes = 0;
}

function writeAll(file: number, chunks: Uint8Array[]): void {
  let rest = chunks;
  while (rest.length > 0) {
    let written = writevSync(file, rest);
    let done = 0;
    while (done < rest.length && written >= (rest[done]?.byteLength ?? 0)) written -= rest[done++]?.byteLength ?? 0;
    const cut = rest[done];
    rest = rest.slice(done);
    if (cut !== undefined && written > 0) rest[0] = cut.subarray(written);
  }
}

type Queue = {
  readonly put: (segment: SealedSegment) => void;
  readonly released: () => void;
  readonly ready: () => Promise<void>;
  readonly close: (error?: unknown) => void;
  readonly take: () => AsyncGenerator<SealedSegment, void, void>;
};

/** The line between reader and consumer; `limit` segments may be under way before the reader waits. */
function createQueue(limit: number): Queue {
  const waiting: SealedSegment[] = [];
  let unreleased = 0;
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let change = Promise.withResolvers<void>();
  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  return {
    put(segment) {
      waiting.push(segment);
      unreleased += 1;
      changed();
    },
    released() {
      unreleased -= 1;
      changed();
    },
    async ready() {
      while (unreleased > limit && failure === undefined) await change.promise;
      if (failure !== undefined) throw failure.error;
    },
    close(error) {
      closed = true;
      if (error !== undefined) failure ??= { error };
      changed();
    },
    async *take() {
      for (;;) {
        if (failure !== undefined) throw failure.error;
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (closed) return;
        else await change.promise;
      }
    },
  };
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}
