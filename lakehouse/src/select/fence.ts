import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { DuckdbSession } from '../duckdb/duckdb-session.ts';
import { literal } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';

/** What a session may open from then on. */
export type Fence = {
  /** Files that it may read. DuckDB would let it write them too: see `watchFiles`. */
  readonly paths: readonly string[];
  /** Folders in which our own COPY writes, and DuckDB spills. */
  readonly folders: readonly string[];
};

/** Bytes at the end of a file that are compared: what they say of the file is there, in most files all of it. */
const FOOTER_BYTES = 65_536;

const list = (texts: readonly string[]): string => `[${texts.map(literal).join(', ')}]`;

/**
 * Keeps a session from every other file, the network, extensions and its own settings, for good. Inside of the folders
 * COPY TO, ATTACH and glob would pass: a gate over the statement keeps these out.
 */
export async function fenceSession(session: DuckdbSession, { paths, folders }: Fence): Promise<void> {
  await session.rows(`SET allowed_paths = ${list(paths)}`);
  await session.rows(`SET allowed_directories = ${list(folders)}`);
  await session.rows('SET enable_external_access = false');
  await session.rows('SET lock_configuration = true');
}

/** Remembers how files are now; `assertSame` is `input_changed` when one is not so any more. */
export async function watchFiles(paths: readonly string[]): Promise<{ assertSame(): Promise<void> }> {
  const look = () => Promise.all([...new Set(paths)].map((path) => stateOf(path).catch(() => undefined)));
  const before = await look();
  return {
    async assertSame() {
      const after = await look();
      if (after.some((one, at) => one !== before[at])) {
        throw new LakehouseError('input_changed', 'A file of an input changed while it was read');
      }
    },
  };
}

async function stateOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { ino, size, mtimeNs } = await file.stat({ bigint: true });
    const length = Math.min(Number(size), FOOTER_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, Number(size) - length);
    return `${ino} ${size} ${mtimeNs} ${createHash('sha256').update(buffer).digest('hex')}`;
  } finally {
    await file.close();
  }
}
