import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SegmentFormat } from '@weir/connector-sdk';
import { appendLines, cutPart, dropPart, linesPart, type SpoolPart, sealPart } from './spool-part.ts';
import { type RejectedLine, type SealedSegment, spoolQueue } from './spool-queue.ts';
import type { StreamKey } from './stream-key.ts';
import type { TakenTo } from './take-segment.ts';

/** A segment is sealed at this size even without a STATE. */
export const SEGMENT_BYTES = 128 * 1024 * 1024;
/** At a STATE a segment is sealed once it holds this share of its size, so that seals fall on STATEs. */
const SEAL_AT_STATE_SHARE = 0.75;
/** At a STATE a stream is sealed when its last seal is older than this. */
export const SEAL_AFTER_MS = 60_000;
/**
 * How many sealed segments may be under way before the connector is held back: while one is typed, the next is filled.
 * With more, only more memory is in use: pages that were never written cost more than all else that a spool does.
 */
export const MAX_WAITING_SEGMENTS = 1;
/** Files that were let go and wait to be written over; while one is written, another is let go. */
const MAX_SPARE_FILES = 1;

/** A file to take into a stream: `fill` writes it to the given place, or throws and nothing is taken. */
export type FileRows = {
  readonly format: SegmentFormat;
  readonly rows: number;
  readonly bytes: number;
  readonly extractedAt: number;
  /** The source's file that its rows are from. */
  readonly file?: string | undefined;
  readonly fill: (to: TakenTo) => void;
};

export type Spool = {
  /** Adds whole lines to a stream. */
  readonly write: (stream: StreamKey, lines: Uint8Array, count: number) => void;
  /** Adds a file to a stream, behind the lines written so far. */
  readonly take: (stream: StreamKey, file: FileRows) => void;
  /** Counts a line of a stream of which only the beginning is kept, in memory. */
  readonly reject: (stream: StreamKey, line: Omit<RejectedLine, 'position'>) => void;
  /** Notes that rows of before of a file go with the next STATE; null stands for rows without the name of their file. */
  readonly replaceFile: (stream: StreamKey, file: string | null) => void;
  /** Notes a STATE after the rows so far; `state` is the JSON text to store. */
  readonly mark: (stream: StreamKey, state: string) => void;
  /**
   * Notes a STATE after the rows so far of all these streams. Where one of them is sealed all are, so that each has the
   * same states at the ends of its segments.
   */
  readonly markAll: (streams: readonly StreamKey[], state: string) => void;
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
  /** Bytes of a line of spaces at the head of each file of lines: room for what its reader wants to be told first. */
  readonly headBytes?: number;
  /** Looks at whole lines as they come, in the cache of the processor; what it finds is told with their segment. */
  readonly detect?: (lines: Uint8Array) => boolean;
  readonly now?: () => number;
};

/** Where a STATE stands: behind so many parts, the last of which was as far as `cut` says, and before which row. */
type Mark = {
  readonly state: string;
  readonly position: number;
  readonly parts: number;
  readonly replaced: number;
  readonly cut: Pick<SpoolPart, 'bytes' | 'rows' | 'rejected'> | undefined;
};
/** What a stream has since its last seal. */
type Open = {
  readonly stream: StreamKey;
  readonly sealedAt: number;
  /** How many segments and rows of the stream were sealed before. */
  readonly sequence: number;
  readonly position: number;
  readonly parts: SpoolPart[];
  readonly replaced: (string | null)[];
  bytes: number;
  mark: Mark | undefined;
};

/**
 * The spool of one sync: plain files of raw RECORD lines below `dir`, and the files that connectors handed over,
 * in the order in which they came. A stream has one open file at a time.
 */
export function createSpool(options: SpoolOptions): Spool {
  const { dir, segmentBytes = SEGMENT_BYTES, sealAfterMs = SEAL_AFTER_MS, headBytes = 0, now = Date.now } = options;
  const { detect = () => false } = options;
  const queue = spoolQueue(options.maxWaiting ?? MAX_WAITING_SEGMENTS);
  const streams = new Map<StreamKey, Open>();
  // Files that were let go are written over: their pages are in memory already, and new ones cost more than the writing.
  const spare: string[] = [];
  let files = 0;
  let closed = false;

  const begin = (stream: StreamKey, from: Pick<Open, 'sequence' | 'position'>): Open => {
    const open = { stream, sealedAt: now(), ...from, parts: [], replaced: [], bytes: 0, mark: undefined };
    streams.set(stream, open);
    return open;
  };
  const openOf = (stream: StreamKey) => streams.get(stream) ?? begin(stream, { sequence: 0, position: 0 });
  /** The part that takes lines: the last one, unless it was handed over or ends with a rejected line. */
  const growing = (open: Open): SpoolPart => {
    const last = open.parts.at(-1);
    if (last?.format === 'lines' && last.rejected.length === 0) return last;
    const fresh = linesPart(() => spare.pop() ?? join(dir, `${files++}.ndjson`), nextPosition(open), headBytes);
    open.parts.push(fresh);
    return fresh;
  };
  const seal = (open: Open, final: boolean) => {
    const { stream, parts, mark } = open;
    const isAtEnd = mark?.position === nextPosition(open) && mark.replaced === open.replaced.length;
    const state = final || isAtEnd ? mark?.state : undefined;
    // A state or an end that no file carries is a segment of its own.
    if (parts.length === 0 && (final || state !== undefined)) growing(open);
    const [first] = parts;
    for (const [index, part] of parts.entries()) {
      sealPart(part);
      const isLast = index === parts.length - 1;
      const replacedFiles = part === first ? open.replaced : [];
      const end = { replacedFiles, state: isLast ? state : undefined, final: isLast && final };
      queue.put({ stream, sequence: open.sequence + index, ...facts(part), ...end, release: releaseOf(part) });
    }
    begin(stream, { sequence: open.sequence + parts.length, position: nextPosition(open) });
  };
  const markAll = (keys: readonly StreamKey[], state: string): void => {
    const marked = keys.map(openOf);
    for (const open of marked) {
      const { parts, replaced } = open;
      const last = parts.at(-1);
      const cut = last && { bytes: last.bytes, rows: last.rows, rejected: last.rejected };
      open.mark = { state, position: nextPosition(open), parts: parts.length, replaced: replaced.length, cut };
    }
    const isLarge = marked.some(({ bytes }) => bytes >= segmentBytes * SEAL_AT_STATE_SHARE);
    if (isLarge || marked.some(({ sealedAt }) => now() - sealedAt >= sealAfterMs)) {
      for (const open of marked) seal(open, false);
    }
  };
  const releaseOf = (part: SpoolPart) =>
    once(() => {
      const { path, format, rows } = part;
      const isSpare = !closed && format === 'lines' && rows > 0 && spare.length < MAX_SPARE_FILES;
      if (isSpare && path !== undefined) spare.push(path);
      else dropPart(part);
      queue.released();
    });

  return {
    write(stream, lines, count) {
      const open = openOf(stream);
      const part = growing(open);
      appendLines(part, lines, count);
      part.detected ||= detect(lines);
      open.bytes += lines.byteLength;
      if (open.bytes >= segmentBytes) seal(open, false);
    },
    take(stream, { fill, ...rows }) {
      const open = openOf(stream);
      const path = join(dir, `${files++}.${rows.format}`);
      const part = { ...linesPart(() => path, nextPosition(open)), ...rows, path };
      try {
        fill({ path, head: headBytes });
      } catch (error) {
        dropPart(part);
        throw error;
      }
      open.parts.push(part);
      open.bytes += part.bytes;
      if (open.bytes >= segmentBytes) seal(open, false);
    },
    reject(stream, line) {
      const open = openOf(stream);
      const part = growing(open);
      part.rejected = [{ ...line, position: part.position + part.rows }];
      open.bytes += line.head.byteLength;
      if (open.bytes >= segmentBytes) seal(open, false);
    },
    replaceFile: (stream, file) => void openOf(stream).replaced.push(file),
    mark: (stream, state) => markAll([stream], state),
    markAll,
    ready: queue.ready,
    finish(stream, rows) {
      const open = openOf(stream);
      if (rows === 'until-last-state') cutAtMark(open);
      seal(open, true);
      streams.delete(stream);
    },
    close(error) {
      closed = true;
      for (const path of spare.splice(0)) rmSync(path, { force: true });
      queue.close(error);
    },
    segments: queue.take,
  };
}

/** The place in the stream of the next row. */
function nextPosition({ position, parts }: Pick<Open, 'position' | 'parts'>): number {
  const last = parts.at(-1);
  return last === undefined ? position : last.position + last.rows + last.rejected.length;
}

function facts({ rows, path, ...part }: SpoolPart) {
  const { format, bytes, position, rejected, extractedAt, file, detected } = part;
  const place = { format, path: rows === 0 ? undefined : path };
  return { ...place, lines: rows, bytes, position, rejected, extractedAt, file, detected };
}

/** Forgets the rows after the last STATE of this segment, all of them when it holds none. */
function cutAtMark(open: Open): void {
  const { parts = 0, replaced = 0, cut } = open.mark ?? {};
  open.replaced.length = replaced;
  for (const dropped of open.parts.splice(parts)) dropPart(dropped);
  const last = open.parts.at(-1);
  if (last?.format === 'lines' && cut !== undefined) cutPart(last, cut);
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}
