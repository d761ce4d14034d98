import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Bounds, provenBounds } from '@weir/processes';
import type { BegunChild } from '@weir/work';
import type { SelectBounds } from '../../model/select/messages.ts';
import { SelectFailed } from '../../model/select/select-errors.ts';

/** What a process may hold beside what its own watch counts: code, stacks of threads, and the watch's own delay. */
const BESIDE_MIB = 1_024;
/** Of that, what stacks of threads may take that wait in reserve, and one of them (pthread_create(3)). */
const RESERVE_MIB = 512;
const STACK_MIB = 8;
const MOST_IN_RESERVE = 8;
/** More folders than these are shown by those that they lie in. */
const MAX_FOLDERS = 32;

export type SelectPlace = ReturnType<typeof selectPlace>;

/** How many DuckDBs of so many threads a process may begin ahead of the statements that they are for. */
export function reserveOf({ threads }: SelectBounds): number {
  const stacks = STACK_MIB * Math.max(1, threads - 1);
  return Math.min(MOST_IN_RESERVE, Math.max(1, Math.floor(RESERVE_MIB / stacks)));
}

/** What statements see of this machine: their code, the folders of their inputs, and one of their own. */
export function selectPlace(scratch: string, { memoryMiB }: SelectBounds) {
  let uid: number | undefined;
  const gid = process.getgid?.() ?? 0;
  return {
    /** The bounds of a process, of those that hold here; undefined where none does. */
    async bounds(): Promise<Bounds | undefined> {
      const { hasView, processes, uid: found } = await provenBounds();
      if (!hasView && !processes) return undefined;
      uid = found;
      const view = hasView ? { root: join(scratch, 'view') } : {};
      return { ...view, ...(uid !== undefined && { uid }), dataMiB: memoryMiB + BESIDE_MIB, canSeal: processes };
    },
    /** Makes the folders that are a process's own, and shows it these and what its files lie in. */
    async show(
      { bounded }: BegunChild,
      { own, files }: { own: readonly string[]; files: ReadonlyMap<string, string> },
    ): Promise<void> {
      for (const folder of own) {
        // What it lies in may be a table's folder, which others read.
        await mkdir(dirname(folder), { recursive: true });
        await mkdir(folder, { recursive: true, mode: 0o700 });
        if (uid !== undefined) await chown(folder, uid, gid);
      }
      const read = foldersOf([...files.values()]).map((path) => ({ path }));
      const places = [...read, ...own.map((path) => ({ path, writable: true }))];
      await bounded?.show(places).catch(() => {
        throw new SelectFailed('select_process_lost');
      });
    },
    /** Makes a file of a process one of ours. */
    async takeBack(path: string): Promise<void> {
      if (uid !== undefined) await chown(path, process.getuid?.() ?? 0, gid);
    },
  };
}

/** The folders of files; with too many, folders above them. */
function foldersOf(paths: readonly string[]): string[] {
  let folders = [...new Set(paths.map(dirname))];
  while (folders.length > MAX_FOLDERS) folders = [...new Set(folders.map(dirname))];
  return folders;
}
