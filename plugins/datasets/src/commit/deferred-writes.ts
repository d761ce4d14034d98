import type { FileIO } from '@weir/lakehouse';

/** Files that are made and not yet written. */
export interface DeferredWrites {
  /** The store, as it will be once everything is written. */
  io: FileIO;
  /** The locations of what waits. */
  locations(): string[];
  /** Writes everything; resolves or rejects once nothing is under way any more. */
  flush(): Promise<void>;
}

/**
 * A store whose writes wait until they are called for, so that the ledger can know of every file before it exists. What
 * waits is kept in memory: manifests and metadata of one commit, never rows.
 */
export function deferWrites(io: FileIO): DeferredWrites {
  const waiting = new Map<string, Uint8Array>();
  return {
    io: {
      ...io,
      read: async (location, range) =>
        waiting.has(location) ? sliceOf(waiting.get(location), range) : io.read(location, range),
      exists: async (location) => waiting.has(location) || io.exists(location),
      async write(location, bytes) {
        waiting.set(location, bytes);
      },
    },
    locations: () => [...waiting.keys()],
    async flush() {
      const outcomes = await Promise.allSettled([...waiting].map(([location, bytes]) => io.write(location, bytes)));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

function sliceOf(bytes: Uint8Array | undefined, range?: { offset: number; length: number }): Buffer {
  const all = Buffer.from(bytes ?? []);
  return range === undefined ? all : all.subarray(range.offset, range.offset + range.length);
}
