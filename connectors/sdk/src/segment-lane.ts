import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  MAX_SEGMENT_BYTES,
  MAX_UNACKNOWLEDGED_SEGMENTS,
  SEGMENT_OFFER,
  type SegmentFacts,
  type SegmentFormat,
} from './protocol.ts';

/** How often it is looked whether the reader has taken a segment. */
const POLL_MS = 5;
/** What is read of a file at once for its digest: in smaller pieces the reading costs half of what the digest does. */
const DIGEST_READ_BYTES = 256 * 1024;

/** What whoever wrote a file knows of it. */
export type WrittenSegment = {
  readonly rows: number;
  /** Its digest in hexadecimal digits; without it the file is read once more for that. */
  readonly sha256?: string;
};

/** Writes a file to a path where none is, and answers how many records it has. */
export type WriteSegment = (path: string) => Promise<WrittenSegment>;

/** What is known of a finished file. */
export type FinishedSegment = Pick<SegmentFacts, 'file' | 'format' | 'rows' | 'bytes' | 'sha256'>;

export type WritingSegment = { readonly signal: AbortSignal; readonly format: SegmentFormat };

export type SegmentLane = {
  /**
   * Has a file written once there is room for it. Gives its facts, to be announced; `too_large` when it is over
   * `MAX_SEGMENT_BYTES`, `empty` when it has no record, and then it is gone again. Rejects once `signal` is aborted.
   */
  readonly write: (write: WriteSegment, how: WritingSegment) => Promise<FinishedSegment | 'too_large' | 'empty'>;
  /** Whether the reader takes lines of JSON. */
  readonly takesLines: boolean;
};

/** The way to hand over segments, if the reader that started this process offers it in the environment. */
export function segmentLane(environment: NodeJS.ProcessEnv): SegmentLane | undefined {
  const { channel, channelVariable, folderVariable, formatsVariable } = SEGMENT_OFFER;
  const folder = environment[folderVariable];
  if (environment[channelVariable] !== channel || folder === undefined || folder === '') return undefined;
  let waiting: readonly string[] = [];
  let files = 0;

  const hasRoom = async () => {
    const isThere = await Promise.all(
      waiting.map((path) =>
        access(path).then(
          () => true,
          () => false,
        ),
      ),
    );
    waiting = waiting.filter((_, index) => isThere[index]);
    return waiting.length < MAX_UNACKNOWLEDGED_SEGMENTS;
  };
  return {
    takesLines: environment[formatsVariable]?.split(',').includes('jsonl') === true,
    async write(write, { signal, format }) {
      while (!(await hasRoom())) await sleep(POLL_MS, undefined, { signal });
      signal.throwIfAborted();
      const file = `${files++}.${format}`;
      const path = join(folder, file);
      try {
        const { rows, sha256 } = await write(path);
        const bytes = rows === 0 ? 0 : (await stat(path)).size;
        if (rows > 0 && bytes <= MAX_SEGMENT_BYTES) {
          const finished = { file, format, rows, bytes, sha256: sha256 ?? (await digest(path)) };
          waiting = [...waiting, path];
          return finished;
        }
        await rm(path, { force: true });
        return rows === 0 ? 'empty' : 'too_large';
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
  };
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: DIGEST_READ_BYTES }), hash);
  return hash.digest('hex');
}
