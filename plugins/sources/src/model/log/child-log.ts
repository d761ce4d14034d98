import { StringDecoder } from 'node:string_decoder';
import type { Scrubber } from '@weir/connector-runtime';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import { type BoundedLines, boundedLines, droppedLine } from '@weir/run-logs';
import { growingScrubber } from '../scrub/growing-scrubber.ts';
import { MAX_SAID_CHARS, type Mask, type Said, saidLines } from './said-lines.ts';

const SEND_EVERY_MS = 250;
/** What may wait while the parent has not taken the batch before. */
const WAITING = { lines: 5_000, bytes: 4 * 1024 * 1024 };
/** What is kept of the end of a connector that says more than is kept. */
const LAST = { lines: 1_000, bytes: 1024 * 1024 };
const BYTES_PER_LINE = 1024;
/** Lines that one message to the parent holds at the end. */
const BATCH_LINES = 1_000;
/** What a message takes beside its text. */
const SAID_BYTES = 100;

export interface ChildLogOptions {
  secrets: readonly string[];
  /** How many lines are kept, and as many KiB. */
  maxLines: number;
  /** Hands lines to the parent; resolves when they have left. */
  send(lines: readonly RunLogEntry[]): Promise<void>;
  now?: () => number;
}

/** Collects what a connector says, and what we have to say of it, and sends it masked, a batch at a time. */
export interface ChildLog {
  said(said: Said): void;
  stderr(piece: Uint8Array): void;
  /** A line of our own. */
  write(line: Omit<RunLogEntry, 'at'>): void;
  /** Masks these too from here on. */
  learn(secrets: Iterable<string>): void;
  /** The parent has room for the next batch. */
  taken(): void;
  /** Sends the rest. */
  end(): Promise<void>;
}

/** What waits: as it was said, as masking what is then left out would be in vain; of stderr, with the mask that it has. */
type Waiting = { at: number; said: Said; masked?: Mask } | { line: RunLogEntry };

export function childLog({ secrets, maxLines, send, now = Date.now }: ChildLogOptions): ChildLog {
  const scrubber = growingScrubber(secrets);
  let mask = maskOf(scrubber);
  const queue: BoundedLines<Waiting> = boundedLines(
    { waiting: WAITING, total: { lines: maxLines, bytes: maxLines * BYTES_PER_LINE }, last: LAST },
    { sizeOf: sizeOfWaiting, marker: (dropped) => ({ line: droppedLine(dropped, now()) }) },
  );
  const push = (said: Said) => queue.push({ at: now(), said: shortened(said) });
  const errors = stderrLines(scrubber, (line) => queue.push({ at: now(), said: shortened(line), masked: mask }));
  const lines = (waiting: readonly Waiting[]): RunLogEntry[] =>
    waiting.flatMap((one) =>
      'line' in one ? [one.line] : saidLines(one.said, one.at, { mask, isMasked: one.masked === mask }),
    );
  let isTaken = true;
  const timer = setInterval(() => {
    const batch = isTaken ? lines(queue.take()) : [];
    if (batch.length === 0) return;
    isTaken = false;
    void send(batch);
  }, SEND_EVERY_MS);
  return {
    learn(more) {
      scrubber.learn(more);
      // What waits has to be masked once more.
      mask = maskOf(scrubber);
    },
    said: push,
    stderr: errors.push,
    write: (line) => queue.push({ line: { ...line, at: now() } }),
    taken() {
      isTaken = true;
    },
    async end() {
      clearInterval(timer);
      errors.end();
      const rest = lines(queue.rest());
      for (let from = 0; from < rest.length; from += BATCH_LINES) await send(rest.slice(from, from + BATCH_LINES));
    },
  };
}

function maskOf(scrubber: Scrubber): Mask {
  return (text, isCut) => (isCut ? scrubber.pieces().push(text) : scrubber.text(text));
}

/** The lines of stderr, whose pieces end anywhere; masked as a whole, since a line that never ends is cut. */
function stderrLines(scrubber: Scrubber, onLine: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  const pieces = scrubber.pieces();
  let open = '';
  const add = (text: string) => {
    const lines = `${open}${text}`.split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (open.length <= MAX_SAID_CHARS) return;
    onLine(open);
    open = '';
  };
  return {
    push: (piece: Uint8Array) => add(pieces.push(decoder.write(Buffer.from(piece)))),
    end() {
      add(pieces.push(decoder.end()));
      add(pieces.end());
      if (open !== '') onLine(open);
      open = '';
    },
  };
}

/** Without what will not be kept anyway; as a text of its own, since a part of one keeps the whole of it in memory. */
function shortened(said: Said): Said {
  if (typeof said !== 'string' || said.length <= MAX_SAID_CHARS) return said;
  return Buffer.from(said.slice(0, MAX_SAID_CHARS + 1)).toString();
}

function sizeOfWaiting(waiting: Waiting): number {
  if ('line' in waiting) return SAID_BYTES + waiting.line.message.length;
  const { said } = waiting;
  return SAID_BYTES + (typeof said === 'string' ? said.length : textOf(said));
}

/** About the length of what a message says. */
function textOf(message: object): number {
  const { log } = message as { log?: { message?: unknown; stack_trace?: unknown } };
  return String(log?.message ?? '').length + String(log?.stack_trace ?? '').length;
}
