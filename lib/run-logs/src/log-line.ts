/** From the least to the gravest. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a line may say beside its message; texts, numbers and booleans by name. */
export type LogFields = Readonly<Record<string, string | number | boolean>>;

/** One line of the log of a run. */
export interface LogLine {
  /** Its place in the run: rises within an attempt, and a later attempt's are all greater. */
  readonly seq: number;
  /** ISO 8601 in UTC, to the millisecond. Never falls within a writer. */
  readonly at: string;
  readonly level: LogLevel;
  readonly stream?: string;
  /** The part of the work, such as `commit`; `connector` for what a connector says. */
  readonly step: string;
  readonly attempt: number;
  /** One line without control characters. */
  readonly message: string;
  readonly fields?: LogFields;
  /** A connector says so: nothing of it is our word. */
  readonly untrusted?: true;
}

/** A line before its writer has given it a place. `at` is in milliseconds. */
export type LineDraft = Omit<LogLine, 'seq' | 'at' | 'attempt'> & { readonly at?: number };

/** Whose log it is. Both are ids of ours; nothing else becomes a path or a query. */
export interface LoggedRun {
  readonly tenantId: string;
  readonly runId: string;
}

/** Places that each attempt has; as a safe integer this is enough for nine million attempts. */
export const SEQ_PER_ATTEMPT = 1_000_000_000;
/** The places of an attempt from here on belong to whoever ends the run. */
export const SEQ_OF_END = 900_000_000;
/** A writer's time grows whenever it passes a multiple of this. */
export const SEQ_PER_TICK = 1_000_000;
const SEQ_PER_WRITER = 100_000_000;

/** Whoever writes has places to itself, so that no two writers ever need to agree. */
export type LogPart = 'work' | 'end';

/** The first place of a writer. */
export function firstSeq(attempt: number, part: LogPart): number {
  return attempt * SEQ_PER_ATTEMPT + (part === 'end' ? SEQ_OF_END : 0);
}

/** The writer of a line as a number, in the order of the places. */
export function writerOf(seq: number): number {
  return Math.floor(seq / SEQ_PER_WRITER);
}

export function attemptOf(seq: number): number {
  return Math.floor(seq / SEQ_PER_ATTEMPT);
}

/** The levels from one on. */
export function levelsFrom(level: LogLevel): readonly LogLevel[] {
  return LOG_LEVELS.slice(LOG_LEVELS.indexOf(level));
}
