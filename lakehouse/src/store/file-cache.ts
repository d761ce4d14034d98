import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { MaterializedFile } from './fileio.ts';
import { makeReadOnly } from './read-only.ts';

/** Fills a new file with what belongs to a location; resolves with its size in bytes. */
export type Download = (location: string, path: string) => Promise<number>;

export type FileCache = {
  /** A local copy of the whole file, kept at least until it is released. */
  open(location: string): Promise<MaterializedFile>;
  /** Lets the copy of a removed file go, as soon as nobody reads it. */
  forget(location: string): void;
  /** Removes all copies. */
  close(): Promise<void>;
};

type Entry = { readonly path: string; readonly loaded: Promise<number>; bytes: number; users: number; stale: boolean };

const FOLDER = /^copies-([0-9a-f]{16})-(\d+)-(\d+)-[0-9a-f-]{36}$/;
const HOST_HEX_DIGITS = 16;

const hostKey = (): string => createHash('sha256').update(hostname()).digest('hex').slice(0, HOST_HEX_DIGITS);
const startedAt = (): string => String(Math.round(performance.timeOrigin));

/** Whether a folder's owner, a process of this machine, is gone. Of another machine's nothing is known. */
function isAbandoned(name: string): boolean {
  const [, host, pid, started] = FOLDER.exec(name) ?? [];
  if (host !== hostKey()) return false;
  if (Number(pid) === process.pid) return started !== startedAt();
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** An empty folder of this cache alone; the copies that processes left behind when they died are removed. */
async function makeFolder(scratch: string): Promise<string> {
  const folder = join(scratch, `copies-${hostKey()}-${process.pid}-${startedAt()}-${randomUUID()}`);
  // A process that reads copies for us has our group, where it has another user.
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const left = (await readdir(scratch)).filter(isAbandoned);
  await Promise.all(left.map((name) => rm(join(scratch, name), { recursive: true, force: true })));
  return folder;
}

/**
 * Local copies of whole immutable files, bounded by bytes: the copy used longest ago goes first. A copy in use never
 * goes, so what is read at one time may pass the bound. Requests for one file share one download. Every cache begins
 * empty, in a folder of its own below `scratch`.
 */
export function createFileCache(options: { scratch: string; maxBytes: number; download: Download }): FileCache {
  const entries = new Map<string, Entry>();
  let folder: Promise<string> | undefined;
  let total = 0;

  const drop = (key: string, entry: Entry): void => {
    if (entries.get(key) === entry) entries.delete(key);
    total -= entry.bytes;
    entry.bytes = 0;
    void rm(entry.path, { force: true }).catch(() => undefined);
  };
  const shrink = (): void => {
    for (const [key, entry] of entries) {
      if (total <= options.maxBytes) return;
      if (entry.users === 0) drop(key, entry);
    }
  };
  const load = async (location: string, path: string): Promise<number> => {
    const draft = `${path}.draft`;
    try {
      const bytes = await options.download(location, draft);
      await makeReadOnly(draft);
      await rename(draft, path);
      return bytes;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  };
  const enter = (location: string, at: string): Entry => {
    const path = join(at, randomUUID());
    return { path, loaded: load(location, path), bytes: 0, users: 0, stale: false };
  };
  const release = (key: string, entry: Entry): void => {
    entry.users -= 1;
    if (entry.users === 0 && entry.stale) drop(key, entry);
    shrink();
  };

  return {
    async open(location) {
      folder ??= makeFolder(options.scratch);
      const at = await folder.catch((error) => {
        folder = undefined;
        throw error;
      });
      const entry = entries.get(location) ?? enter(location, at);
      // The order of the map is the order of use.
      entries.delete(location);
      entries.set(location, entry);
      entry.users += 1;
      try {
        const bytes = await entry.loaded;
        if (entry.bytes === 0) {
          entry.bytes = bytes;
          total += bytes;
        }
        shrink();
      } catch (error) {
        if (entries.get(location) === entry) entries.delete(location);
        throw error;
      }
      let held = true;
      return {
        path: entry.path,
        release() {
          if (held) release(location, entry);
          held = false;
        },
      };
    },
    forget(location) {
      const entry = entries.get(location);
      if (!entry) return;
      entries.delete(location);
      entry.stale = true;
      if (entry.users === 0) drop(location, entry);
    },
    async close() {
      if (folder) await rm(await folder, { recursive: true, force: true });
      entries.clear();
      total = 0;
    },
  };
}
