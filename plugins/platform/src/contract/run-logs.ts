import { type Static, Type } from '@sinclair/typebox';
import { Closed, Nullable, OneOf, paging, service, Timestamp } from '@weir/kernel/contract';

/** From the least to the gravest. */
export const RUN_LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type RunLogLevel = (typeof RUN_LOG_LEVELS)[number];

/** The forms of a whole log. */
export const LOG_TEXT = 'text/plain; charset=utf-8';
export const LOG_LINES = 'application/x-ndjson';

/** Seconds that a reader may wait for the next line. */
export const MAX_LOG_WAIT_SECONDS = 25;
const DEFAULT_LINES = 200;
const MAX_WORD_CHARS = 255;
const MAX_SEARCH_CHARS = 500;

/** One line of the log of a run. */
export const RunLogLine = Type.Object({
  seq: Type.Integer({ description: 'Its place in the run; later attempts are behind earlier ones' }),
  at: Timestamp,
  level: OneOf(RUN_LOG_LEVELS),
  stream: Nullable(Type.String()),
  step: Type.String({ description: 'Part of the work, such as commit; connector for what a connector says' }),
  attempt: Type.Integer(),
  message: Type.String({ description: 'One line, without control characters and credentials' }),
  fields: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  untrusted: Type.Boolean({ description: 'A connector says so' }),
});
export type RunLogLineView = Static<typeof RunLogLine>;

const Word = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_WORD_CHARS, description }));
const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const filters = {
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_SEARCH_CHARS,
      description: 'Only lines whose message holds this text, whatever its case',
    }),
  ),
  pattern: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_SEARCH_CHARS,
      description: 'Only lines whose message has what this regular expression (RE2) looks for',
    }),
  ),
  level: Type.Optional(OneOf(RUN_LOG_LEVELS, { description: 'Only lines of this level, or a graver one' })),
  stream: Word('Only lines of this stream'),
  step: Word('Only lines of this step'),
  attempt: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Only lines of this attempt' })),
  from: Time('Only lines of this time or later'),
  to: Time('Only lines before this time'),
};

/** The query of a route that reads the log of a run. */
export const RunLogQuery = Closed({
  ...paging(DEFAULT_LINES, 'How many lines at most'),
  order: Type.Optional(OneOf(['seq', '-seq'], { default: 'seq', description: 'Oldest or newest line first' })),
  after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only lines behind this seq, in order' }),
  ),
  wait_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_LOG_WAIT_SECONDS,
      default: 0,
      description: 'With after: how long to wait for the next line; the end of the run ends it too',
    }),
  ),
  ...filters,
});
export type RunLogRequest = Static<typeof RunLogQuery>;

/** The query of a route that hands out the whole log of a run. */
export const RunLogDownloadQuery = Closed(filters);
export type RunLogDownloadRequest = Static<typeof RunLogDownloadQuery>;

/** The answer of a route that reads the log of a run. */
export const RunLogPage = Type.Object({
  items: Type.Array(RunLogLine),
  next_page_token: Nullable(Type.String({ description: 'More in this order; a page before it may be empty' })),
  previous_page_token: Nullable(Type.String({ description: 'The lines before these in this order' })),
  total: Nullable(Type.Integer()),
  ended: Type.Boolean({ description: 'The run has ended, and no line that fits follows' }),
  expired: Type.Boolean({ description: 'The log was kept as long as it is to be, and is gone' }),
  levels: Nullable(
    Type.Object(Object.fromEntries(RUN_LOG_LEVELS.map((level) => [level, Type.Integer()])), {
      description: 'All lines of the run by level; only where a reading begins',
    }),
  ),
});
export type RunLogPageView = Static<typeof RunLogPage>;

/** A line as whoever does the work tells it. `at` is in milliseconds; now unless given. */
export interface RunLogEntry {
  readonly at?: number;
  readonly level: RunLogLevel;
  readonly stream?: string;
  readonly step: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** A connector or another program of strangers says so. */
  readonly untrusted?: true;
}

/** Writes the log of a run. Nothing of it ever fails or holds up the work that is told of. */
export interface RunLog {
  write(entry: RunLogEntry): void;
  /** Writes many; resolves when there is room for more. */
  take(entries: readonly RunLogEntry[]): Promise<void>;
  /** Brings what was written into the store. After it the log is closed. */
  close(): Promise<void>;
}

/** Whose log is written. An attempt has one writer for its work; whoever ends the run is another. */
export interface RunLogPlace {
  readonly runId: string;
  readonly attempt: number;
  readonly part: 'work' | 'end';
}

/** What reading a log must know of its run. */
export interface ReadableRun {
  readonly runId: string;
  readonly isTerminal: boolean;
  readonly endedAt?: Date | undefined;
}

interface LogTenant {
  readonly tenantId: string;
  readonly alias: string;
  readonly scope: string;
}

/** The logs of all runs, whatever plugin carries them out. A route that reads them finds its run first. */
export interface RunLogsService {
  /** Lines that strangers may write in one run. */
  readonly maxLines: number;
  open(tenant: LogTenant, place: RunLogPlace): RunLog;
  /** Some lines. `find` is asked again while a reader waits, and throws for whoever may not read. */
  page(
    tenant: LogTenant,
    query: RunLogRequest,
    how: { find(): Promise<ReadableRun>; signal: AbortSignal },
  ): Promise<RunLogPageView>;
  /** The whole log, as a route hands it out. */
  download(
    tenant: LogTenant,
    query: RunLogDownloadRequest,
    how: { run: ReadableRun; mediaType: string },
  ): { type: string; headers: Record<string, string>; body: AsyncIterable<string> };
}

export const RunLogs = service<RunLogsService>('platform.run-logs@1');
