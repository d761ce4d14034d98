import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { LogLevel, Message, StreamDescriptor, StreamStatus } from './protocol.ts';
import { besideMessage, type SourceError } from './source-error.ts';

/**
 * The connector's stdout. Every call resolves when there is room for the next one, so a slow reader holds the
 * source back and nothing grows in between. Rejects once the reader is gone.
 */
export type Output = {
  readonly bytes: (lines: Uint8Array) => Promise<void>;
  readonly message: (message: Message) => Promise<void>;
  readonly log: (level: LogLevel, text: string) => Promise<void>;
  readonly error: (error: SourceError, stream?: StreamDescriptor) => Promise<void>;
  readonly status: (stream: StreamDescriptor, status: StreamStatus) => Promise<void>;
  /** Resolves when everything written so far has left the process. */
  readonly flush: () => Promise<void>;
};

/** Writes protocol lines to a stream; `now` gives the milliseconds since the epoch that traces carry. */
export function createOutput(stream: Writable, now: () => number = Date.now): Output {
  let failure: Error | undefined;
  stream.on('error', (error: Error) => {
    failure ??= error;
  });
  const write = async (chunk: Uint8Array | string) => {
    if (failure !== undefined) throw failure;
    if (!stream.write(chunk)) await once(stream, 'drain');
  };
  const message = (value: Message) => write(`${JSON.stringify(value)}\n`);
  return {
    bytes: write,
    message,
    log: (level, text) => message({ type: 'LOG', log: { level, message: text } }),
    error: (error, descriptor) =>
      message({
        type: 'TRACE',
        trace: {
          type: 'ERROR',
          emitted_at: now(),
          error: {
            message: error.message,
            internal_message: error.code,
            failure_type: error.type,
            ...besideMessage(error),
            ...(descriptor === undefined ? {} : { stream_descriptor: descriptor }),
          },
        },
      }),
    status: (descriptor, status) =>
      message({
        type: 'TRACE',
        trace: { type: 'STREAM_STATUS', emitted_at: now(), stream_status: { stream_descriptor: descriptor, status } },
      }),
    flush: () =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) reject(failure);
        else stream.write('', (error) => (error ? reject(error) : resolve()));
      }),
  };
}
