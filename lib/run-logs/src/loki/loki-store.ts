import { lineMatcher } from '../line-filter.ts';
import { attemptOf, firstSeq, LOG_LEVELS, type LoggedRun, type LogLevel, type LogLine, writerOf } from '../log-line.ts';
import { RunLogError } from '../run-log-error.ts';
import type { LevelCounts, LineChunk, ReadRequest, RunLogStore } from '../run-log-store.ts';
import { countQuery, lineQuery } from './log-query.ts';
import { type LokiClient, type LokiOptions, lokiClient } from './loki-client.ts';
import { linesOf, nanoseconds, streamsOf } from './loki-entry.ts';

/** Entries that Loki answers at most unless told otherwise (limits_config: max_entries_limit_per_query). */
const MAX_ENTRIES = 5_000;
/**
 * Parts of Loki take no answer of each other beyond 4 MiB, and whoever asked for one waits in vain. So many of the longest
 * lines, each character of three bytes, are less; of shorter ones more are asked for, as the lines before let expect.
 */
const SAFE_ENTRIES = 128;
const WANTED_ANSWER_BYTES = 1024 * 1024;
/** How much more may be asked for than the last time, and how long to wait for it before less is. */
const GROWTH = 8;
const GROWN_WITHIN_MS = 5_000;
/**
 * Loki never takes a push beyond 4 MiB, what one of its parts may send another, nor one beyond what a tenant may send at once
 * (ingestion_burst_size_mb, 6 unless told otherwise): it answers as if that might pass later.
 */
const MAX_PUSH_BYTES = 1024 * 1024;
/** The longest range that Loki looks through unless told otherwise is 30 days and an hour; a run is shorter. */
const LONGEST_RUN_MS = 30 * 24 * 3_600_000;
/** Clocks of two machines differ by less. */
const CLOCKS_MS = 600_000;
const MS_PER_SECOND = 1_000;

/**
 * Keeps lines in Loki, or whatever speaks its HTTP API. A tenant is a tenant there (`X-Scope-OrgID`), the run and the place
 * of a line are structured metadata, and labels are bounded. How long lines are kept is the store's own setting.
 */
export function lokiStore(options: LokiOptions): RunLogStore {
  const client = lokiClient(options);
  /** The last place that each open writer of this process has brought in, so that what is tried again is what is not there. */
  const reached = new Map<string, number>();
  const writerKey = ({ runId }: LoggedRun, seq: number) => `${runId} ${writerOf(seq)}`;
  const counts = (run: LoggedRun) => writerCounts(client, run);
  return {
    async append(run, lines) {
      const open = lines.filter(({ seq }) => seq > (reached.get(writerKey(run, seq)) ?? 0));
      for (const some of pushes(open)) {
        await client.push(run.tenantId, streamsOf(run.runId, some));
        for (const { seq } of some) reached.set(writerKey(run, seq), seq);
      }
    },
    async end(run, attempt, part) {
      reached.delete(writerKey(run, firstSeq(attempt, part)));
    },
    async *read(run, request) {
      lineMatcher(request.filter);
      const writers = [...(await counts(run)).keys()].filter((writer) => mayHold(writer, request));
      const rising = writers.toSorted((one, other) => one - other);
      for (const writer of request.direction === 'forward' ? rising : rising.toReversed()) {
        yield* readWriter(client, run, { ...request, writer });
      }
    },
    async count(run) {
      const sums: Partial<Record<LogLevel, number>> = {};
      for (const levels of (await counts(run)).values())
        for (const level of LOG_LEVELS) {
          const sum = (sums[level] ?? 0) + (levels[level] ?? 0);
          if (sum > 0) sums[level] = sum;
        }
      return sums;
    },
    async remove(run) {
      const { start, end } = rangeOf(run);
      const instant = (ms: number) => new Date(ms).toISOString();
      // Loki deletes nothing of the future.
      const range = { start: instant(start), end: instant(Math.min(end, Date.now())) };
      await client.remove(run.tenantId, { query: lineQuery(run.runId, {}), ...range });
    },
  };
}

/** Lines in pushes that Loki can take, in their order; one that is taken again is there once. */
function* pushes(lines: readonly LogLine[]): Generator<LogLine[]> {
  let some: LogLine[] = [];
  let bytes = 0;
  for (const line of lines) {
    const own = Buffer.byteLength(JSON.stringify(line));
    if (some.length > 0 && bytes + own > MAX_PUSH_BYTES) {
      yield some;
      [some, bytes] = [[], 0];
    }
    some.push(line);
    bytes += own;
  }
  if (some.length > 0) yield some;
}

const WRITERS_PER_ATTEMPT = 10;

function mayHold(writer: number, { filter: { attempt }, direction, after }: ReadRequest): boolean {
  const of = Math.floor(writer / WRITERS_PER_ATTEMPT);
  if (attempt !== undefined && attempt !== of) return false;
  if (after === undefined) return true;
  return direction === 'forward' ? of >= attemptOf(after) : firstSeq(of, 'work') <= after;
}

/** The lines of one writer, in whose entries the order of time is that of the places. */
async function* readWriter(
  client: LokiClient,
  run: LoggedRun,
  { filter, direction, after, wanted, writer }: ReadRequest & { writer: number },
): AsyncGenerator<LineChunk> {
  const fits = lineMatcher(filter);
  const range = rangeOf(run);
  let start = nanoseconds(Math.max(range.start, filter.from ?? range.start));
  let end = nanoseconds(Math.min(range.end, filter.to ?? range.end));
  let place = after;
  let limit = Math.min(wanted, SAFE_ENTRIES);
  for (;;) {
    if (start >= end) return;
    const query = lineQuery(run.runId, filter, { writer, [direction === 'forward' ? 'after' : 'before']: place });
    const asked = { query, start: String(start), end: String(end), direction };
    const found = await entries(client, run, { asked, limit });
    limit = found.limit;
    const order = direction === 'forward' ? 1 : -1;
    const sorted = found.lines.toSorted((one, other) => (one.seq - other.seq) * order);
    // What was pushed again may stand there twice, once in each part of what Loki keeps.
    const lines = sorted.filter(({ seq }, at) => seq !== sorted[at - 1]?.seq);
    const last = lines.at(-1);
    if (last === undefined) return;
    yield { lines: lines.filter(fits), reached: last.seq };
    if (found.lines.length < limit) return;
    place = last.seq;
    limit = Math.min(wanted, nextLimit(lines));
    // Nothing before the place is looked through again.
    const at = Date.parse(last.at);
    if (direction === 'forward') start = bigger(start, nanoseconds(at));
    else end = smaller(end, nanoseconds(at + 1));
  }
}

/** So many entries, or fewer when so many do not come. */
async function entries(
  client: LokiClient,
  run: LoggedRun,
  { asked, limit }: { asked: Readonly<Record<string, string>>; limit: number },
): Promise<{ lines: LogLine[]; limit: number }> {
  const of = async (limit: number, withinMs?: number) => {
    const answer = await client.get(run.tenantId, 'query_range', { ...asked, limit: String(limit) }, withinMs);
    return { lines: linesOf(answer), limit };
  };
  if (limit <= SAFE_ENTRIES) return of(limit);
  return of(limit, GROWN_WITHIN_MS).catch((error: unknown) => {
    if (error instanceof RunLogError && error.code === 'unavailable') return of(SAFE_ENTRIES);
    throw error;
  });
}

/** How many entries to ask for behind these. Pure. */
function nextLimit(lines: readonly LogLine[]): number {
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line.message), 0);
  const room = Math.floor((WANTED_ANSWER_BYTES * lines.length) / Math.max(1, bytes));
  return Math.min(MAX_ENTRIES, Math.max(SAFE_ENTRIES, Math.min(room, lines.length * GROWTH)));
}

const bigger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The counts of every writer that has written anything. */
async function writerCounts(client: LokiClient, run: LoggedRun): Promise<Map<number, LevelCounts>> {
  const { start, end } = rangeOf(run);
  const query = countQuery(run.runId, Math.ceil((end - start) / MS_PER_SECOND));
  const answer = await client.get(run.tenantId, 'query', { query, time: String(nanoseconds(end)) });
  const { data } = answer as { data?: { result?: { metric?: Record<string, string>; value?: [number, string] }[] } };
  const writers = new Map<number, Partial<Record<LogLevel, number>>>();
  for (const { metric = {}, value } of data?.result ?? []) {
    const writer = Number(metric.writer);
    const levels = writers.get(writer) ?? {};
    const level = metric.level as LogLevel;
    levels[level] = (levels[level] ?? 0) + Number(value?.[1] ?? 0);
    writers.set(writer, levels);
  }
  return writers;
}

/** When a run can have said anything, in milliseconds: its id tells when it was made (RFC 9562, UUIDv7). */
function rangeOf({ runId }: LoggedRun): { start: number; end: number } {
  const latest = Date.now() + CLOCKS_MS;
  const made =
    runId[14] === '7' ? Number.parseInt(runId.replaceAll('-', '').slice(0, 12), 16) : latest - LONGEST_RUN_MS;
  const start = Math.max(0, made - CLOCKS_MS);
  return { start, end: Math.min(latest, start + LONGEST_RUN_MS) };
}
