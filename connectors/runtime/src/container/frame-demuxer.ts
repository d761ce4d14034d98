import { Readable } from 'node:stream';

const HEADER_BYTES = 8;
const STDERR = 2;
const LENGTH_AT = 4;
/**
 * How many bytes of stdout wait for their reader before the engine's stream is left alone: as many as a socket gives at once,
 * as Node copies pieces that wait together into one.
 */
const HIGH_WATER_BYTES = 64 * 1024;
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
 * content, as in the engine's API, "Stream format". The chunks of `source` are ours to change: what a chunk has of stdout is
 * moved together in its place, so that it goes on in one piece and no memory is taken for it.
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
  const ended = pump(source, put, onStderr).then((how) => {
    stdout.push(null);
    return how;
  });
  return { stdout, ended, drain };
}

async function pump(
  source: AsyncIterable<unknown>,
  put: (stdout: Buffer) => Promise<void>,
  onStderr: (bytes: Buffer) => void,
): Promise<'whole' | 'cut'> {
  const take = frameReader(onStderr);
  let isWhole = true;
  try {
    for await (const chunk of source) {
      const { stdout, isBetween } = take(chunk as Buffer);
      isWhole = isBetween;
      if (stdout.length > 0) await put(stdout);
    }
    return isWhole ? 'whole' : 'cut';
  } catch {
    // The engine went away, or nobody reads on: the verdict tells that this end came too early.
    return 'cut';
  }
}

/** Reads frames chunk by chunk; tells what each has of stdout, and whether it ends between two frames. */
function frameReader(onStderr: (bytes: Buffer) => void) {
  let header: Buffer = Buffer.alloc(0);
  let kind = 0;
  let left = 0;
  /** Takes what is missing of a header from `at` on; gives the place behind it. */
  const head = (chunk: Buffer, at: number): number => {
    const end = Math.min(chunk.length, at + HEADER_BYTES - header.length);
    header = Buffer.concat([header, chunk.subarray(at, end)]);
    if (header.length < HEADER_BYTES) return end;
    kind = header[0] ?? 0;
    left = header.readUInt32BE(LENGTH_AT);
    header = Buffer.alloc(0);
    return end;
  };
  return (chunk: Buffer): { stdout: Buffer; isBetween: boolean } => {
    let kept = 0;
    for (let at = 0; at < chunk.length; ) {
      if (left === 0) {
        at = head(chunk, at);
        continue;
      }
      const end = Math.min(chunk.length, at + left);
      left -= end - at;
      // Who hears of stderr may keep it, and its place is taken.
      if (kind === STDERR) onStderr(Buffer.from(chunk.subarray(at, end)));
      else {
        chunk.copyWithin(kept, at, end);
        kept += end - at;
      }
      at = end;
    }
    return { stdout: chunk.subarray(0, kept), isBetween: left === 0 && header.length === 0 };
  };
}
