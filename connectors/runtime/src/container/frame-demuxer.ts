import { Readable } from 'node:stream';

const HEADER_BYTES = 8;
const STDERR = 2;
const LENGTH_AT = 4;
/** How many bytes of stdout wait for their reader before the engine's stream is left alone. */
const HIGH_WATER_BYTES = 256 * 1024;
/** How many may wait once everything is taken that is still to come. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024;

export type Demuxed = {
  /** The bytes of stdout; an unread one holds the connector back. */
  readonly stdout: Readable;
  /** How the stream ended: at the end of a frame, or within one or with an error, so that something is missing. */
  readonly ended: Promise<'whole' | 'cut'>;
  /** Takes what is still to come whether it is read or not, within bounds: the engine ends no container before that. */
  readonly drain: () => void;
};

/**
 * Takes the engine's attach stream apart: frames of a header of eight bytes (which stream, and the length) and their
 * content, as in the engine's API, "Stream format". Nothing is copied.
 */
export function demuxFrames(source: Readable, onStderr: (bytes: Buffer) => void): Demuxed {
  let wake = Promise.withResolvers<void>();
  let mayWait = HIGH_WATER_BYTES;
  const goOn = () => wake.resolve();
  const stdout = new Readable({
    highWaterMark: HIGH_WATER_BYTES,
    read: goOn,
    destroy(error, done) {
      source.destroy();
      goOn();
      done(error);
    },
  });
  const put = async (content: Buffer) => {
    stdout.push(content);
    while (stdout.readableLength >= mayWait && !stdout.destroyed) {
      wake = Promise.withResolvers();
      await wake.promise;
    }
  };
  const drain = () => {
    mayWait = MAX_DRAINED_BYTES;
    goOn();
  };
  const ended = pump(source, (kind, content) => (kind === STDERR ? onStderr(content) : put(content))).then((how) => {
    stdout.push(null);
    return how;
  });
  return { stdout, ended, drain };
}

async function pump(
  source: AsyncIterable<unknown>,
  put: (kind: number, content: Buffer) => Promise<void> | void,
): Promise<'whole' | 'cut'> {
  let header: Buffer = Buffer.alloc(0);
  let kind = 0;
  let left = 0;
  try {
    for await (const piece of source) {
      let chunk = piece as Buffer;
      while (chunk.length > 0) {
        if (left === 0) {
          const wanted = HEADER_BYTES - header.length;
          header = header.length === 0 ? chunk.subarray(0, wanted) : Buffer.concat([header, chunk.subarray(0, wanted)]);
          chunk = chunk.subarray(wanted);
          if (header.length < HEADER_BYTES) break;
          kind = header[0] ?? 0;
          left = header.readUInt32BE(LENGTH_AT);
          header = Buffer.alloc(0);
          continue;
        }
        const content = chunk.subarray(0, left);
        left -= content.length;
        chunk = chunk.subarray(content.length);
        await put(kind, content);
      }
    }
    return left === 0 && header.length === 0 ? 'whole' : 'cut';
  } catch {
    // The engine went away, or nobody reads on: the verdict tells that this end came too early.
    return 'cut';
  }
}
