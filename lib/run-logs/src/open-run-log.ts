import { setTimeout as delay } from 'node:timers/promises';
import { type BoundedLines, boundedLines, type LineBounds } from './bounded-lines.ts';
import { firstSeq, type LineDraft, type LoggedRun, type LogLine, type LogPart, SEQ_PER_TICK } from './log-line.ts';
import { RunLogError } from './run-log-error.ts';
import type { RunLogStore } from './run-log-store.ts';

/** Lines are in the store this long after they were written, if it answers. */
const FLUSH_EVERY_MS = 500;
/** Lines that one append takes at most. */
const BATCH_LINES = 2_000;
/** What waits in this process while the store does not answer; beyond it the middle is left out. */
const WAITING = { lines: 20_000, bytes: 8 * 1024 * 1024 };
const LAST = { lines: 2_000, bytes: 1024 * 1024 };
/** How long the end waits for a store that does not answer. */
const CLOSE_WITHIN_MS = 5_000;
const RETRY_EVERY_MS = 250;
/** What a line takes beside its texts. */
const LINE_BYTES = 100;

export interface OpenRunLog {
  readonly store: RunLogStore;
  readonly run: LoggedRun;
  readonly attempt: number;
  readonly part: LogPart;
  /** Told when lines could not be kept; the work goes on. */
  onTrouble(error: unknown): void;
  readonly now?: () => number;
}

/** Writes the log of a run, as one of its writers. Nothing of it ever fails or holds up the work that is told of. */
export interface RunLogWriter {
  write(line: LineDraft): void;
  /** Writes lines; resolves when there is room for more. */
  take(lines: readonly LineDraft[]): Promise<void>;
  /** Brings what was written into the store. After it the writer is of no use. */
  close(): Promise<void>;
}

/** Opens the log of a run for one writer: the work of an attempt, or its end. */
export function openRunLog({ store, run, attempt, part, onTrouble, now = Date.now }: OpenRunLog): RunLogWriter {
  const queue = waitingLines(now);
  const places = placed(attempt, part);
  let batch: LogLine[] = [];
  let flushing: Promise<boolean> | undefined;
  let pending = 0;
  let isTroubled = false;

  const send = async (): Promise<boolean> => {
    if (batch.length === 0) batch = queue.take().map(places);
    pending = 0;
    while (batch.length > 0) {
      const lines = batch.slice(0, BATCH_LINES);
      try {
        await store.append(run, lines);
      } catch (error) {
        if (!isTroubled) onTrouble(error);
        isTroubled = true;
        // What a store refuses it refuses again.
        if (!(error instanceof RunLogError && error.code === 'refused')) return false;
      }
      batch = batch.slice(lines.length);
    }
    isTroubled = false;
    return true;
  };
  const flush = (): Promise<boolean> => {
    flushing ??= send().finally(() => {
      flushing = undefined;
    });
    return flushing;
  };
  const timer = setInterval(flush, FLUSH_EVERY_MS);
  const write = (line: LineDraft) => {
    queue.push({ ...line, at: line.at ?? now() });
    pending += 1;
  };
  return {
    write,
    async take(lines) {
      for (const line of lines) write(line);
      if (pending >= BATCH_LINES) await flush();
    },
    async close() {
      clearInterval(timer);
      await flushing;
      batch.push(...queue.rest().map(places));
      const until = now() + CLOSE_WITHIN_MS;
      while (!(await flush()) && now() < until) await delay(RETRY_EVERY_MS);
      await store.end(run, attempt, part).catch(onTrouble);
    },
  };
}

/** What waits for the store; the whole of a run is bounded by whoever hands the lines over. */
function waitingLines(now: () => number): BoundedLines<LineDraft> {
  const bounds: LineBounds = {
    waiting: WAITING,
    total: { lines: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER },
    last: LAST,
  };
  return boundedLines<LineDraft>(bounds, {
    sizeOf: sizeOfLine,
    marker: (dropped) => droppedLine(dropped, now()),
  });
}

/** The line that stands where lines were left out. */
export function droppedLine(dropped: number, at: number): LineDraft {
  return { at, level: 'warn', step: 'log', message: `dropped ${dropped} lines`, fields: { dropped_lines: dropped } };
}

/** About what a line takes in memory and in a store. */
export function sizeOfLine({ message, stream = '', step, fields = {} }: LineDraft): number {
  const texts = Object.values(fields).reduce<number>((sum, value) => sum + String(value).length, 0);
  return LINE_BYTES + message.length + stream.length + step.length + texts;
}

/** Gives lines their places; time never falls, and grows where the place passes a multiple of `SEQ_PER_TICK`. */
function placed(attempt: number, part: LogPart): (line: LineDraft) => LogLine {
  let seq = firstSeq(attempt, part);
  let latest = 0;
  return ({ at = 0, level, stream, step, message, fields, untrusted }) => {
    seq += 1;
    latest = Math.max(at, seq % SEQ_PER_TICK === 0 ? latest + 1 : latest);
    return {
      seq,
      at: new Date(latest).toISOString(),
      level,
      ...(stream === undefined ? {} : { stream }),
      step,
      attempt,
      message,
      ...(fields === undefined ? {} : { fields }),
      ...(untrusted === undefined ? {} : { untrusted }),
    };
  };
}
