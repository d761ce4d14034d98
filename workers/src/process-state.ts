import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
 * without a folder nothing is written.
 */
export function processState(
  folder: string | undefined,
  facts: { roles: readonly string[]; queues: readonly string[] },
): ProcessState & { write(): void } {
  const children = new Map<number, ChildRecord>();
  const file = folder === undefined ? undefined : join(folder, `worker-${process.pid}.json`);
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
