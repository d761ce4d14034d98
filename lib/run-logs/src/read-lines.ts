import type { LineFilter } from './line-filter.ts';
import type { LoggedRun, LogLine } from './log-line.ts';
import type { ReadRequest, RunLogStore } from './run-log-store.ts';

/** How long one page may look for lines; what it found by then is answered, with a place to go on from. */
const MAX_PAGE_MS = 2_000;
/** Lines that a download holds at a time, about. */
const DOWNLOAD_LINES = 5_000;

/** Some lines, in the direction that was asked for. */
export interface LinePage {
  readonly lines: LogLine[];
  /** More may follow behind this place; absent when nothing does. */
  readonly next?: number;
}

/**
 * At most `wanted` lines. A page may hold fewer, even none, and still have a `next`: a search through a long log is
 * answered in parts.
 */
export async function readPage(store: RunLogStore, run: LoggedRun, request: ReadRequest): Promise<LinePage> {
  const until = performance.now() + MAX_PAGE_MS;
  const lines: LogLine[] = [];
  for await (const chunk of store.read(run, { ...request, wanted: request.wanted + 1 })) {
    lines.push(...chunk.lines);
    if (lines.length > request.wanted) {
      const kept = lines.slice(0, request.wanted);
      return { lines: kept, next: kept.at(-1)?.seq ?? chunk.reached };
    }
    if (performance.now() > until) return { lines, next: chunk.reached };
  }
  return { lines };
}

/** All lines of a run that fit, from the first on, a bounded number at a time. */
export async function* readAll(
  store: RunLogStore,
  run: LoggedRun,
  filter: LineFilter,
): AsyncGenerator<readonly LogLine[]> {
  for await (const { lines } of store.read(run, { filter, direction: 'forward', wanted: DOWNLOAD_LINES })) {
    if (lines.length > 0) yield lines;
  }
}
