import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { LakehouseError } from './error.ts';

/** Where table files live. Files are immutable: a location is written once and then only read or removed. */
export type FileIO = {
  /** The bytes at a location; `file_missing` when there are none. */
  read(location: string): Promise<Buffer>;
  /** Creates a file whole and durable; `file_exists` when the location is taken, which leaves the taken one as it was. */
  write(location: string, bytes: Uint8Array): Promise<void>;
  exists(location: string): Promise<boolean>;
  /** Removes a file; an absent one is no error. */
  remove(location: string): Promise<void>;
  /** The path under which a program on this machine opens the location. */
  localPath(location: string): string;
};

/**
 * The path that a location names: `/p`, `file:/p` and `file:///p` are the same file. Nothing is percent-decoded, as the
 * other engines take such locations literally too.
 */
export function localPath(location: string): string {
  const path = location.replace(/^file:(\/\/)?/i, '');
  if (isAbsolute(path)) return resolve(path);
  throw new LakehouseError('location_outside_root', 'A location is neither a file URI nor an absolute path');
}

/** The one spelling in which we write locations: `file:///p`. */
export function toLocation(path: string): string {
  return `file://${localPath(path)}`;
}

const failure = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

function translate(error: unknown): unknown {
  const code = failure(error);
  if (code === 'ENOENT') return new LakehouseError('file_missing', 'A table file is missing', { cause: error });
  if (code === 'EEXIST') return new LakehouseError('file_exists', 'A table file exists already', { cause: error });
  if (code === 'ENOSPC') return new LakehouseError('disk_full', 'The warehouse has no space left', { cause: error });
  return error;
}

// A reader must never see half a file, so the bytes become durable under another name and are then linked into place.
async function createWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(bytes);
      await file.datasync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Files in one local folder; a location outside of it is refused. */
export function localFileIO({ root }: { root: string }): FileIO {
  const base = localPath(root);
  const inside = (location: string): string => {
    const path = localPath(location);
    const below = relative(base, path);
    if (below === '' || below.startsWith('..') || isAbsolute(below)) {
      throw new LakehouseError('location_outside_root', 'A location lies outside the warehouse');
    }
    return path;
  };
  const attempt = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw translate(error);
    }
  };
  return {
    read: (location) => attempt(() => readFile(inside(location))),
    write: (location, bytes) => attempt(() => createWhole(inside(location), bytes)),
    exists: (location) =>
      stat(inside(location)).then(
        () => true,
        () => false,
      ),
    remove: (location) => attempt(() => rm(inside(location), { force: true })),
    localPath: inside,
  };
}
