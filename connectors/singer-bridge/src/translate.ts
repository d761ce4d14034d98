import type { Output, StreamDescriptor } from '@weir/connector-sdk';
import { KIT_FAULTS, parseExact, recordEnvelope, SourceError } from '@weir/connector-sdk';
import { keyOf } from './singer-catalog.ts';

/** What Python writes for numbers that JSON does not have, outside of strings. */
const NOT_JSON = /("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b/g;

type SingerMessage = {
  readonly type?: string;
  readonly stream?: string;
  readonly record?: unknown;
  readonly value?: unknown;
};

export type Translation = {
  /** Says one line of the tap, without its end, in this protocol; resolves when the reader has room. */
  readonly line: (text: string) => Promise<void>;
  /** Says how every stream ended. */
  readonly end: (isWhole: boolean) => Promise<void>;
};

export type TranslationOptions = {
  readonly output: Output;
  /** The streams that were asked for, by the name that the tap gives them in its messages. */
  readonly streams: ReadonlyMap<string, StreamDescriptor>;
  readonly emittedAt: number;
  /** Whether states are of use: not when every stream is read whole each time. */
  readonly keepsState: boolean;
};

/**
 * Translates a tap's messages. Its state is one value for all streams, which only the tap understands: it becomes a
 * GLOBAL state that seals every record before it. Numbers keep their text; those that JSON does not have become null.
 */
export function translation({ output, streams, emittedAt, keepsState }: TranslationOptions): Translation {
  const started = new Set<string>();
  const ignored = new Set<string>();
  let since = 0;

  const start = async (stream: StreamDescriptor) => {
    if (started.has(keyOf(stream))) return;
    started.add(keyOf(stream));
    await output.status(stream, 'STARTED');
  };
  const ignore = async (what: string) => {
    if (ignored.has(what)) return;
    ignored.add(what);
    await output.log('INFO', what);
  };
  const record = async ({ stream = '', record: data }: SingerMessage) => {
    const descriptor = streams.get(stream);
    if (descriptor === undefined) return ignore('records of a stream that was not asked for are left out');
    await start(descriptor);
    const { prefix, suffix } = recordEnvelope(descriptor, emittedAt);
    since += 1;
    await output.bytes(Buffer.from(`${prefix}${JSON.stringify(data)}${suffix}`));
  };
  const state = async (value: unknown) => {
    if (!keepsState) return;
    const global = { shared_state: value, stream_states: [] };
    await output.message({ type: 'STATE', state: { type: 'GLOBAL', global, sourceStats: { recordCount: since } } });
    since = 0;
  };
  return {
    async line(text) {
      if (text.trim() === '') return;
      const message = parseLine(text);
      switch (message?.type) {
        case undefined:
          // What is no message of Singer is a log line, as everywhere.
          return output.log('INFO', text);
        case 'RECORD':
          return record(message);
        case 'STATE':
          return state(message.value);
        case 'BATCH':
          throw new SourceError('tap_sends_batches', KIT_FAULTS.tap_sends_batches);
        case 'SCHEMA': {
          const descriptor = streams.get(message.stream ?? '');
          return descriptor === undefined ? undefined : start(descriptor);
        }
        default:
          return undefined;
      }
    },
    async end(isWhole) {
      for (const stream of streams.values()) {
        await start(stream);
        await output.status(stream, isWhole ? 'COMPLETE' : 'INCOMPLETE');
      }
    },
  };
}

function parseLine(text: string): SingerMessage | undefined {
  for (const attempt of [text, text.replaceAll(NOT_JSON, (_, quoted?: string) => quoted ?? 'null')]) {
    try {
      const value = parseExact(attempt);
      return typeof value === 'object' && value !== null ? (value as SingerMessage) : undefined;
    } catch {
      // Once more without what only Python reads.
    }
  }
  return undefined;
}
