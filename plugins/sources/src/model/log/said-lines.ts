import type { RunLogEntry, RunLogLevel } from '@weir/plugin-platform/contract';
import { plainLines, plainText } from '@weir/run-logs';

/** What a connector said beside its rows: a LOG or a TRACE of any shape, a line that is no message, or stderr. */
export type Said = object | string;

/** Characters of one text that are looked at; what a connector says at once has no other bound. */
export const MAX_SAID_CHARS = 64 * 1024;
const MAX_NAME_CHARS = 255;
/** How far into a line its level is looked for. */
const LEVEL_REACH_CHARS = 64;
const LEVEL_WORD = /\b(FATAL|CRITICAL|ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE)\b/;
const LEVELS: Readonly<Record<string, RunLogLevel>> = {
  FATAL: 'fatal',
  CRITICAL: 'fatal',
  ERROR: 'error',
  WARN: 'warn',
  WARNING: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
};

/** Takes the credentials out of a text; one that was cut may end in the beginning of a credential. */
export type Mask = (text: string, isCut: boolean) => string;

export interface Masking {
  mask: Mask;
  /** Whether the text is masked already, before control characters are taken out. */
  isMasked?: boolean;
}

/**
 * What was said as lines of the log: masked before and after control characters are taken out, as they may stand inside of
 * a credential, and marked as the connector's own words. Whatever the shape, this never throws.
 */
export function saidLines(said: Said, at: number, { mask, isMasked = false }: Masking): RunLogEntry[] {
  const { level, text, stream } = typeof said === 'string' ? plain(said) : told(said);
  const isCut = text.length > MAX_SAID_CHARS;
  const kept = isCut ? text.slice(0, MAX_SAID_CHARS) : text;
  const masked = isMasked && !isCut ? kept : mask(kept, isCut);
  const lines = plainLines(masked).map((line) => (line === masked ? line : mask(line, false)));
  const name = stream === undefined ? '' : shownName(stream, mask);
  return [...lines, ...(isCut ? ['(the rest of this message is not kept)'] : [])].map((message) => ({
    at,
    level,
    ...(name === '' ? {} : { stream: name }),
    step: 'connector',
    message,
    untrusted: true,
  }));
}

function shownName(stream: string, mask: Mask): string {
  const isCut = stream.length > MAX_NAME_CHARS;
  return mask(plainText(isCut ? stream.slice(0, MAX_NAME_CHARS) : stream), isCut);
}

interface Telling {
  level: RunLogLevel;
  text: string;
  stream?: string | undefined;
}

/** A line that is no message: many programs write their level into it. */
function plain(text: string): Telling {
  const word = LEVEL_WORD.exec(text.slice(0, LEVEL_REACH_CHARS).toUpperCase())?.[1] ?? 'INFO';
  return { level: LEVELS[word] ?? 'info', text };
}

function told(message: object): Telling {
  const { type, log, trace } = message as Record<string, unknown>;
  if (type === 'LOG') {
    const { level, message: text, stack_trace } = membersOf(log);
    return { level: LEVELS[String(level).toUpperCase()] ?? 'info', text: joined(text, stack_trace) };
  }
  const { type: kind, error, stream_status } = membersOf(trace);
  if (kind === 'ERROR') {
    const { message: text, internal_message, stack_trace, stream_descriptor } = membersOf(error);
    return {
      level: 'error',
      text: joined(text, internal_message, stack_trace),
      stream: streamName(stream_descriptor),
    };
  }
  if (kind === 'STREAM_STATUS') {
    const { status, stream_descriptor } = membersOf(stream_status);
    return { level: 'debug', text: `stream status ${joined(status)}`, stream: streamName(stream_descriptor) };
  }
  // What else it holds is for machines.
  return { level: 'debug', text: `${joined(type)} ${joined(kind)}` };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The texts among the parts, one below the other; other values are named by their kind. */
function joined(...parts: readonly unknown[]): string {
  return parts
    .filter((part) => part !== undefined && part !== null)
    .map((part) => (typeof part === 'string' ? part : `(${typeof part})`))
    .join('\n');
}

function streamName(descriptor: unknown): string | undefined {
  const { name } = membersOf(descriptor);
  return typeof name === 'string' ? name : undefined;
}
