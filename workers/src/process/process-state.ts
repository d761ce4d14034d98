import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@weir/kernel/boot';
import type { Bound } from './own-bounds.ts';

/** A process that the worker has started, directly or through one of its children. */
export interface ChildRecord {
  name: string;
  pid: number;
  parent: number;
}

/** One role of a worker, as the engine knows it, and how much of it is in use. */
export interface RoleState {
  role: string;
  queue: string;
  identity: string;
  /** Activities at a time, and those that are carried out now. */
  slots: number;
  in_flight: number;
}

/** What this worker and its children are, in a file that others read. */
export interface ProcessState {
  started(child: ChildRecord): void;
  ended(pid: number): void;
  /** Says that the event loop turns, and what the worker does. */
  beat(workers: readonly RoleState[]): void;
  /** Removes the file. */
  close(): void;
}

/** The content of the file. */
export interface WorkerRecord {
  pid: number;
  roles: readonly string[];
  queues: readonly string[];
  children: readonly ChildRecord[];
  workers: readonly RoleState[];
  /** What it is not held to; absent where that cannot be told. */
  missing_bounds?: readonly Bound[] | undefined;
  /** The clock of the machine that only rises, in nanoseconds, when the event loop last turned. */
  beat_ns: string;
}

/** Mode of the folder: what a worker says of itself is for its own user. */
const OWNER_ONLY = 0o700;

/**
 * Keeps `worker-<pid>.json` in `folder`: roles, queues, the living children and the last beat of the event loop. The file
 * appears whole or not at all. Files of workers that no longer run are removed. Throws a `Refusal` when the folder is
 * somebody else's. Later it never throws: a file that cannot be written, as on a full disk, must not end the work of all
 * tenants, and who reads it sees that the beat is old. `onUnwritten` is told once, and again after a write that went well.
 */
export function processState(
  folder: string,
  facts: Pick<WorkerRecord, 'roles' | 'queues' | 'missing_bounds'>,
  onUnwritten: (error: unknown) => void,
): ProcessState {
  const children = new Map<number, ChildRecord>();
  const file = join(folder, `worker-${process.pid}.json`);
  const draft = `${file}.draft`;
  let workers: readonly RoleState[] = [];
  let isUnwritten = false;
  sweep(folder);
  const attempt = (work: () => void) => {
    try {
      work();
      isUnwritten = false;
    } catch (error) {
      if (!isUnwritten) onUnwritten(error);
      isUnwritten = true;
    }
  };
  const put = () => {
    const beat_ns = String(process.hrtime.bigint());
    const record = { pid: process.pid, ...facts, children: [...children.values()], workers, beat_ns };
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
    writeFileSync(draft, JSON.stringify(record satisfies WorkerRecord));
    renameSync(draft, file);
  };
  const write = () => attempt(put);
  return {
    started(child) {
      children.set(child.pid, child);
      write();
    },
    ended(pid) {
      if (children.delete(pid)) write();
    },
    beat(latest) {
      workers = latest;
      write();
    },
    close() {
      attempt(() => {
        for (const path of [draft, file]) rmSync(path, { force: true });
      });
    },
  };
}

/** The files of workers in a folder that still run, by the process that they name. */
export function livingWorkers(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return filesOf(folder).flatMap(({ path, pid }) => (isAlive(pid) ? [path] : []));
}

function sweep(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY });
  const { uid } = lstatSync(folder);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    throw new Refusal('worker refused', ['the folder of WEIR_STATE_DIR belongs to another user']);
  }
  for (const { path, pid } of filesOf(folder)) if (!isAlive(pid)) rmSync(path, { force: true });
}

function filesOf(folder: string): { path: string; pid: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const pid = /^worker-(\d+)\.json/.exec(name)?.[1];
    return pid === undefined ? [] : [{ path: join(folder, name), pid: Number(pid) }];
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
