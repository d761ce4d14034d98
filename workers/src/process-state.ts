import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process that the worker has started, directly or through one of its children. */
export interface ChildRecord {
  name: string;
  pid: number;
  parent: number;
}

/** What this worker and its children are, in a file that others read. */
export interface ProcessState {
  started(child: ChildRecord): void;
  ended(pid: number): void;
  /** Removes the file. */
  close(): void;
}

/**
 * Keeps `worker-<pid>.json` in `folder`: roles, queues and the living children. The file appears whole or not at all;
 * without a folder nothing is written. Files of
 * workers that no longer run are removed.
 */
export function processState(
  folder: string | undefined,
  facts: { roles: readonly string[]; queues: readonly string[] },
): ProcessState & { write(): void } {
  const children = new Map<number, ChildRecord>();
  const file = folder === undefined ? undefined : join(folder, `worker-${process.pid}.json`);
  if (folder !== undefined) sweep(folder);
  const write = () => {
    if (folder === undefined || file === undefined) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.draft`, JSON.stringify({ pid: process.pid, ...facts, children: [...children.values()] }));
    renameSync(`${file}.draft`, file);
  };
  return {
    write,
    started(child) {
      children.set(child.pid, child);
      write();
    },
    ended(pid) {
      if (children.delete(pid)) write();
    },
    close() {
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

function sweep(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const pid = /^worker-(\d+)\.json/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
