import type { FileHandle } from 'node:fs/promises';
import { type LineFilter, lineMatcher } from '../line-filter.ts';
import { attemptOf, firstSeq, type LoggedRun, type LogLine, levelsFrom, writerOf } from '../log-line.ts';
import { RunLogError } from '../run-log-error.ts';
import type { LineChunk, ReadRequest, RunLogStore } from '../run-log-store.ts';
import { grown, levelsOf, type Segment, type SegmentIndex } from './segment.ts';
import { openSegment, packSegment, readSegment, removeRun, runFolder } from './segment-file.ts';

/** From this size on a segment gets no more lines. */
const SEGMENT_BYTES = 4 * 1024 * 1024;

export interface FileStoreOptions {
  /** Folder that all processes share which write or read logs of runs. */
  readonly root: string;
  readonly index: SegmentIndex;
  readonly segmentBytes?: number;
}

/** A segment that this process writes to. */
interface Open {
  readonly file: FileHandle;
  segment: Segment | undefined;
}

/**
 * Keeps lines as JSON in files, a folder for each run. A file is written first and told of in the index then: what the
 * index does not know is no line, so that a crash leaves whole batches, and a repeated batch replaces itself.
 */
export function fileStore({ root, index, segmentBytes = SEGMENT_BYTES }: FileStoreOptions): RunLogStore {
  const open = new Map<string, Open>();
  const keyOf = (run: LoggedRun, seq: number) => `${run.tenantId}/${run.runId}/${writerOf(seq)}`;
  const close = async (run: LoggedRun, key: string): Promise<void> => {
    const known = open.get(key);
    open.delete(key);
    await known?.file.close();
    if (known?.segment !== undefined) await packSegment(runFolder(root, run), known.segment);
  };
  const append = async (run: LoggedRun, given: readonly LogLine[]): Promise<void> => {
    const key = keyOf(run, given[0]?.seq ?? 0);
    const latest = open.get(key)?.segment?.lastSeq ?? 0;
    const lines = given.filter(({ seq }) => seq > latest);
    const [first] = lines;
    if (first === undefined) return;
    const isFull = (open.get(key)?.segment?.bytes ?? 0) >= segmentBytes;
    if (isFull) await close(run, key);
    const known = open.get(key) ?? (await opened(runFolder(root, run), first.seq));
    open.set(key, known);
    const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await writeAt(known.file, text, known.segment?.bytes ?? 0);
    const segment = grown(known.segment, lines, text.length);
    await index.put(run, segment);
    known.segment = segment;
  };
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      if (cause instanceof RunLogError) throw cause;
      throw new RunLogError('unavailable', 'the files of run logs, or their index, could not be used', { cause });
    });
  return {
    append: (run, lines) => guarded(append(run, lines)),
    end: (run, attempt, part) => guarded(close(run, keyOf(run, firstSeq(attempt, part)))),
    read: (run, request) => readSegments(runFolder(root, run), guarded(index.list(run)), request),
    count: async (run) => levelsOf(await guarded(index.list(run))),
    remove: (run) =>
      guarded(
        removeRun(runFolder(root, run)).then(() => {
          return index.remove(run);
        }),
      ),
  };
}

/** Writes all of it: a disk that is full takes a part and then nothing. */
async function writeAt(file: FileHandle, text: Buffer, position: number): Promise<void> {
  for (let from = 0; from < text.length; ) {
    from += (await file.write(text, from, text.length - from, position + from)).bytesWritten;
  }
}

async function opened(folder: string, seq: number): Promise<Open> {
  return { file: await openSegment(folder, seq), segment: undefined };
}

/** Goes through the segments that may hold what is wanted, one at a time. */
async function* readSegments(
  folder: string,
  listed: Promise<readonly Segment[]>,
  { filter, direction, after }: ReadRequest,
): AsyncGenerator<LineChunk> {
  const fits = lineMatcher(filter);
  const segments = (await listed)
    .filter((segment) => mayHold(segment, filter) && isBehind(segment, direction, after))
    .toSorted((one, other) => one.firstSeq - other.firstSeq);
  const inOrder = <T>(items: readonly T[]): T[] => (direction === 'forward' ? [...items] : items.toReversed());
  for (const segment of inOrder(segments)) {
    const text = await readSegment(folder, segment);
    const lines = text === undefined ? [lostLine(segment)] : linesOf(text);
    const isWanted = ({ seq }: LogLine) => after === undefined || (direction === 'forward' ? seq > after : seq < after);
    const reached = direction === 'forward' ? segment.lastSeq : segment.firstSeq;
    yield { lines: inOrder(lines.filter((line) => isWanted(line) && fits(line))), reached };
  }
}

function linesOf(text: string): LogLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
}

function mayHold(segment: Segment, { level, attempt, from, to }: LineFilter): boolean {
  if (level !== undefined && !levelsFrom(level).some((one) => (segment.levels[one] ?? 0) > 0)) return false;
  if (attempt !== undefined && attemptOf(segment.firstSeq) !== attempt) return false;
  return (from === undefined || segment.to >= from) && (to === undefined || segment.from < to);
}

function isBehind(segment: Segment, direction: ReadRequest['direction'], after: number | undefined): boolean {
  if (after === undefined) return true;
  return direction === 'forward' ? segment.lastSeq > after : segment.firstSeq < after;
}

/** Stands for the lines of a file that somebody has removed or damaged. */
function lostLine({ firstSeq: seq, lines, from }: Segment): LogLine {
  return {
    ...{ seq, at: new Date(from).toISOString(), level: 'error', step: 'log', attempt: attemptOf(seq) },
    message: `${lines} lines are lost: their file is gone or damaged`,
    fields: { lost_lines: lines },
  };
}
