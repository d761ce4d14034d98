import type { Writable } from 'node:stream';
import { cut, NARROW } from '../output/fit.ts';

/** Shows how something goes on, on stderr. `lines` is the whole present picture; `phase` changes when it matters. */
export interface Progress {
  show(phase: string, lines: string[]): void;
  /** Leaves the last picture, or `last` instead of it, and ends. */
  end(last?: string[]): void;
}

/** One line at least this often when there is no terminal. */
const PLAIN_EVERY_MS = 10_000;
const FRAME_MS = 100;

/** On a terminal the picture is redrawn in place; elsewhere one line comes every ten seconds and at each new phase. */
export async function openProgress(stream: Writable, quiet = false): Promise<Progress> {
  if (quiet) return { show() {}, end() {} };
  return (stream as NodeJS.WriteStream).isTTY === true
    ? liveProgress(stream as NodeJS.WriteStream)
    : plainProgress(stream);
}

/** Progress for logs and pipes; `now` in milliseconds. */
export function plainProgress(stream: Writable, now: () => number = () => performance.now()): Progress {
  let phaseShown: string | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(phase, lines) {
      if (phase === phaseShown && now() - shownAt < PLAIN_EVERY_MS) return;
      phaseShown = phase;
      shownAt = now();
      stream.write(`${cut((lines[0] ?? '').trim(), NARROW)}\n`);
    },
    end(last) {
      for (const line of last ?? []) stream.write(`${line}\n`);
    },
  };
}

async function liveProgress(stream: NodeJS.WriteStream): Promise<Progress> {
  const { createLogUpdate } = await import('log-update');
  const draw = createLogUpdate(stream);
  let drawnAt = Number.NEGATIVE_INFINITY;
  let latest: string[] = [];
  return {
    show(_phase, given) {
      const lines = given.map((line) => cut(line, stream.columns || NARROW));
      latest = lines;
      if (performance.now() - drawnAt < FRAME_MS) return;
      drawnAt = performance.now();
      draw(lines.join('\n'));
    },
    end(last) {
      draw((last ?? latest).join('\n'));
      draw.done();
    },
  };
}

const BAR_CELLS = 12;

/** A bar of `done` in `total`; empty when the total is not known. */
export function bar(done: number, total: number | undefined): string {
  if (total === undefined || total <= 0) return ' '.repeat(BAR_CELLS);
  const full = Math.min(BAR_CELLS, Math.round((done / total) * BAR_CELLS));
  return '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
}

/** A number of things, such as `1 stream`. */
export const countOf = (count: number, noun: string) => `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A count with thousands separated, for people. */
export const countText = (count: number | string | bigint) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
