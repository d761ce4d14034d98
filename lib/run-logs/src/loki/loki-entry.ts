import { LOG_LEVELS, type LogFields, type LogLevel, type LogLine, SEQ_PER_TICK, writerOf } from '../log-line.ts';
import { LABELS } from './log-query.ts';

const NS_PER_MS = 1_000_000n;

/** A line as an entry: its time in nanoseconds, its message, and what belongs to it as structured metadata. */
type Entry = [at: string, message: string, metadata: Record<string, string>];

/**
 * The lines as streams of a push. The time of an entry is that of its line and its place below the millisecond, so that
 * entries of a writer stand in order, and an entry that is pushed twice is one.
 */
export function streamsOf(runId: string, lines: readonly LogLine[]): object[] {
  const levels = Map.groupBy(lines, ({ level }) => level);
  return [...levels].map(([level, same]) => ({
    stream: { ...LABELS, level },
    values: same.map((line) => entryOf(runId, line)),
  }));
}

function entryOf(runId: string, { seq, at, attempt, stream, step, message, fields, untrusted }: LogLine): Entry {
  const metadata = {
    run_id: runId,
    seq: String(seq),
    writer: String(writerOf(seq)),
    attempt: String(attempt),
    step,
    ...(stream === undefined ? {} : { log_stream: stream }),
    ...(fields === undefined ? {} : { fields: JSON.stringify(fields) }),
    ...(untrusted ? { untrusted: 'true' } : {}),
  };
  return [String(nanoseconds(Date.parse(at)) + BigInt(seq % SEQ_PER_TICK)), message, metadata];
}

export function nanoseconds(ms: number): bigint {
  return BigInt(Math.trunc(ms)) * NS_PER_MS;
}

/** Entries of an answer as lines; whatever else lies in the store under our labels is none. */
export function linesOf(answer: unknown): LogLine[] {
  const { data } = answer as { data?: { result?: { stream?: Record<string, string>; values?: unknown[] }[] } };
  return (data?.result ?? []).flatMap(({ stream = {}, values = [] }) =>
    values.flatMap((value) => {
      const [at, message, own] = value as [string, string, Record<string, unknown>?];
      return lineOf(at, message, { ...stream, ...metadataOf(own) });
    }),
  );
}

/** Metadata that a store gives beside each entry and not among the labels. */
function metadataOf(own: Record<string, unknown> | undefined): Record<string, string> {
  const structured = own?.structuredMetadata ?? own ?? {};
  return structured as Record<string, string>;
}

function lineOf(at: string, message: string, facts: Record<string, string>): LogLine[] {
  const { seq = '', level, step, attempt, log_stream: stream, fields, untrusted } = facts;
  if (!/^\d{1,16}$/.test(seq) || step === undefined || !isLevel(level)) return [];
  return [
    {
      seq: Number(seq),
      at: new Date(Number(BigInt(at) / NS_PER_MS)).toISOString(),
      level,
      ...(stream === undefined ? {} : { stream }),
      step,
      attempt: Number(attempt),
      message,
      ...(fields === undefined ? {} : { fields: JSON.parse(fields) as LogFields }),
      ...(untrusted === 'true' ? { untrusted: true as const } : {}),
    },
  ];
}

const isLevel = (level: string | undefined): level is LogLevel =>
  (LOG_LEVELS as readonly (string | undefined)[]).includes(level);
