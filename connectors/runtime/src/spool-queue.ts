import type { SegmentFormat } from '@weir/connector-sdk';
import type { StreamKey } from './stream-key.ts';

/** A line of a stream of which only the beginning was kept: its place among all rows of the stream, from 0, and why. */
export type RejectedLine = {
  readonly position: number;
  readonly reason: 'line_too_large';
  readonly head: Uint8Array;
};

/**
 * A finished piece of one stream: a file of RECORD lines, or a file that the connector wrote, as Parquet or as lines of data. `state` is there
 * when every row up to that STATE lies in this segment or an earlier one, and no row after it does unless `final`; a
 * consumer commits there and nowhere else. `path` is absent when only the state moved or a line was rejected. `release`
 * deletes the file and lets the connector go on.
 */
export type SealedSegment = {
  readonly stream: StreamKey;
  readonly sequence: number;
  readonly format: 'lines' | SegmentFormat;
  readonly path: string | undefined;
  /** The rows of the file. */
  readonly lines: number;
  readonly bytes: number;
  /** What was to be detected in lines was, or was in others that were cut off. */
  readonly detected: boolean;
  /** How many rows of the stream came before the file's first, rejected ones included. */
  readonly position: number;
  /** Lines that came right after the file's last row and are in no file. They count as rows of the stream. */
  readonly rejected: readonly RejectedLine[];
  /** When the rows of a file of the connector's were read, in milliseconds since 1970; lines say it themselves. */
  readonly extractedAt: number | undefined;
  /** The source's file that the rows of such a file are from; RECORD lines say it themselves. */
  readonly file: string | undefined;
  /** Files whose rows of before go with the next state. */
  readonly replacedFiles: readonly (string | null)[];
  readonly state: string | undefined;
  readonly final: boolean;
  readonly release: () => void;
};

export type SpoolQueue = {
  readonly put: (segment: SealedSegment) => void;
  readonly released: () => void;
  readonly ready: () => Promise<void>;
  readonly close: (error?: unknown) => void;
  readonly take: () => AsyncGenerator<SealedSegment, void, void>;
};

/** The line between reader and consumer; `limit` segments may be under way before the reader waits. */
export function spoolQueue(limit: number): SpoolQueue {
  const waiting: SealedSegment[] = [];
  let unreleased = 0;
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let change = Promise.withResolvers<void>();
  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  return {
    put(segment) {
      waiting.push(segment);
      unreleased += 1;
      changed();
    },
    released() {
      unreleased -= 1;
      changed();
    },
    async ready() {
      while (unreleased > limit && failure === undefined) await change.promise;
      if (failure !== undefined) throw failure.error;
    },
    close(error) {
      closed = true;
      if (error !== undefined) failure ??= { error };
      changed();
    },
    async *take() {
      for (;;) {
        if (failure !== undefined) throw failure.error;
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (closed) return;
        else await change.promise;
      }
    },
  };
}
