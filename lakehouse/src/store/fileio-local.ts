import { randomUUID } from 'node:crypto';
import { copyFile, type FileHandle, link, mkdir, open, opendir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { LakehouseError } from '../error/error.ts';
import { type ByteRange, type FileIO, type ListedFile, localPath, toLocation } from './fileio.ts';
import { makeReadOnly } from './read-only.ts';

const failure = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

// ENOTDIR: a file stands where the location has a folder, so nothing can lie beneath it.
const ABSENT = ['ENOENT', 'ENOTDIR'];
const DENIED = ['EACCES', 'EPERM', 'EROFS'];

function translate(cause: unknown): unknown {
  const code = failure(cause) ?? '';
  if (ABSENT.includes(code)) return new LakehouseError('file_missing', 'A table file is missing', { cause });
  if (code === 'EEXIST') return new LakehouseError('file_exists', 'A table file exists already', { cause });
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new LakehouseError('disk_full', 'The warehouse has no space left', { cause });
  }
  if (DENIED.includes(code)) return new LakehouseError('store_denied', 'The warehouse refuses access', { cause });
  return cause;
}

function unlessAbsent(error: unknown): void {
  if (!ABSENT.includes(failure(error) ?? '')) throw error;
}

async function attempt<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw translate(error);
  }
}

/** Makes what a file or folder holds survive a machine that loses power. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const draftOf = (path: string): string => join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);

/** Makes a folder and those above it, each of them lasting in the one above. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await sync(dirname(made));
}

// A link fails where a rename would replace. The folder's own change has to be durable too.
async function place(draft: string, path: string): Promise<void> {
  await link(draft, path);
  await sync(dirname(path));
}

async function openDraft(draft: string): Promise<FileHandle> {
  try {
    return await open(draft, 'wx');
  } catch (error) {
    if (failure(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(draft));
    return open(draft, 'wx');
  }
}

async function writeDraft(draft: string, bytes: Uint8Array): Promise<void> {
  const file = await openDraft(draft);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

// A reader must never see half a file, so the bytes become durable under another name and are then linked into place.
async function createWhole(path: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = draftOf(path);
  try {
    await fill(draft);
    await place(draft, path);
  } finally {
    await unlink(draft).catch(unlessAbsent);
  }
}

async function copyDraft(source: string, draft: string): Promise<void> {
  await copyFile(source, draft);
  await sync(draft);
}

async function moveIn(source: string, path: string): Promise<void> {
  await makeFolder(dirname(path));
  await makeReadOnly(source);
  await sync(source);
  try {
    await place(source, path);
  } catch (error) {
    if (failure(error) !== 'EXDEV') throw error;
    await createWhole(path, (draft) => copyDraft(source, draft));
  }
  await rm(source, { force: true });
}

async function readRange(path: string, { offset, length }: ByteRange): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

async function* walk(folder: string): AsyncIterable<ListedFile> {
  const entries = await opendir(folder, { recursive: true }).catch((error) => {
    if (ABSENT.includes(failure(error) ?? '')) return undefined;
    throw translate(error);
  });
  if (entries === undefined) return;
  for await (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => undefined);
    if (found) yield { location: toLocation(path), sizeBytes: found.size, modifiedAt: found.mtime };
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
  const isFile = (location: string): Promise<boolean> => {
    const path = inside(location);
    return stat(path).then(
      (found) => found.isFile(),
      (error) => {
        if (ABSENT.includes(failure(error) ?? '')) return false;
        throw translate(error);
      },
    );
  };
  return {
    read: (location, range) =>
      attempt(async () => (range ? readRange(inside(location), range) : readFile(inside(location)))),
    write: (location, bytes) => attempt(async () => createWhole(inside(location), (draft) => writeDraft(draft, bytes))),
    exists: async (location) => isFile(location),
    remove: (location) => attempt(async () => rm(inside(location), { force: true })),
    async *list(folder) {
      yield* walk(inside(folder));
    },
    draftPath: (location) => draftOf(inside(location)),
    upload: (path, location) => attempt(async () => moveIn(path, inside(location))),
    async materialize(location) {
      if (!(await isFile(location))) throw new LakehouseError('file_missing', 'A table file is missing');
      return { path: inside(location), release: () => undefined };
    },
  };
}
