import { lineMatcher } from '../line-filter.ts';
import { attemptOf, firstSeq, LOG_LEVELS, type LoggedRun, type LogLevel } from '../log-line.ts';
import type { LevelCounts, LineChunk, ReadRequest, RunLogStore } from '../run-log-store.ts';
import { countQuery, lineQuery } from './log-query.ts';
import { type LokiClient, type LokiOptions, lokiClient } from './loki-client.ts';
import { linesOf, nanoseconds, streamsOf } from './loki-entry.ts';

/** Entries that Loki answers at most unless told otherwise (limits_config: max_entries_limit_per_query). */
const MAX_ENTRIES = 5_000;
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
  const counts = (run: LoggedRun) => writerCounts(client, run);
  return {
    async append(run, lines) {
      if (lines.length > 0) await client.push(run.tenantId, streamsOf(run.runId, lines));
    },
    end: async () => undefined,
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
      const seconds = (ms: number) => String(Math.floor(ms / MS_PER_SECOND));
      const range = { start: seconds(start), end: seconds(end + MS_PER_SECOND) };
      await client.remove(run.tenantId, { query: lineQuery(run.runId, {}), ...range });
    },
  };
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
  const limit = Math.min(wanted, MAX_ENTRIES);
  const fits = lineMatcher(filter);
  const range = rangeOf(run);
  const start = nanoseconds(Math.max(range.start, filter.from ?? range.start));
  const end = nanoseconds(Math.min(range.end, filter.to ?? range.end));
  let place = after;
  for (;;) {
    if (start >= end) return;
    const behind = direction === 'forward' ? { after: place } : { before: place };
    const found = linesOf(
      await client.get(run.tenantId, 'query_range', {
        query: lineQuery(run.runId, filter, { writer, ...behind }),
        ...{ start: String(start), end: String(end), limit: String(limit), direction },
      }),
    );
    const order = direction === 'forward' ? 1 : -1;
    const lines = found.toSorted((one, other) => (one.seq - other.seq) * order);
    const reached = lines.at(-1)?.seq;
    if (reached === undefined) return;
    yield { lines: lines.filter(fits), reached };
    if (lines.length < limit) return;
    place = reached;
  }
}

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
