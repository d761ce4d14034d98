import type { RunFailureRecord, Tenant } from '@weir/kernel';
import { cutLine, type LogLevel, plainText } from '@weir/run-logs';
import type { Ending, Failure } from '../failure/failure.ts';

/** A line of the log of a run. `at` is in milliseconds; now unless given. */
export interface LogEntry {
  readonly at?: number;
  readonly level: LogLevel;
  readonly stream?: string;
  readonly step: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** A program of strangers says so. */
  readonly untrusted?: true;
}

/** Writes the log of a run. Nothing of it ever fails or holds up the work that it reports. */
export interface OpenedLog {
  write(entry: LogEntry): void;
  /** Writes many; resolves when there is room for more. */
  take(entries: readonly LogEntry[]): Promise<void>;
  /** Brings what was written into the store. After it the log is closed. */
  close(): Promise<void>;
}

/** Where runs have their logs: `RunLogs` of the platform plugin. */
export interface RunLogWriters {
  open(tenant: Tenant, place: { runId: string; attempt: number; part: 'work' | 'end' }): OpenedLog;
}

/** The words that attempts of every kind of run have. */
export interface WorkLog extends OpenedLog {
  started(attempt: number): void;
  failed(failure: Failure): void;
}

/** Reports what an attempt of any run does, in plain text: names and hints may be what a program of strangers gave us. */
export function workLog(opened: OpenedLog): WorkLog {
  const write = (entry: LogEntry) => opened.write(plainEntry(entry));
  return {
    write,
    take: opened.take,
    close: opened.close,
    started(attempt) {
      write({ level: 'info', step: 'attempt', message: `attempt ${attempt} started` });
    },
    failed(failure) {
      const { message, fields } = failureLine(failure);
      const next = failure.retryable && !failure.isLast ? '; it may be tried again' : '';
      write({ level: 'error', step: 'attempt', message: `the attempt failed: ${message}${next}`, fields });
    },
  };
}

/** How a run ended, as its last line. */
export function endLine({ status, failure }: Ending): LogEntry {
  const level = status === 'failed' ? 'error' : 'info';
  if (failure === undefined) {
    return { level, step: 'end', message: `the run has ended: ${status}`, fields: { status } };
  }
  const { message, fields } = failureLine(failure);
  const whole = `the run has ended: ${status}: ${message}`;
  return plainEntry({ level, step: 'end', message: whole, fields: { status, ...fields } });
}

function plainEntry(entry: LogEntry): LogEntry {
  const { message, stream } = entry;
  const name = stream === undefined ? {} : { stream: plainText(stream) };
  return { ...entry, ...name, message: cutLine(plainText(message)) };
}

/** The words of the run's own failure, which were masked when it was made. */
export function failureLine({ code, detail, hint, origin, retryable }: RunFailureRecord) {
  const message = [`${code}: ${detail}`, ...(hint === undefined ? [] : [hint])].join(' ');
  return { message, fields: { code, origin, retryable } };
}
