import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { DevProcess } from './state.ts';

const run = promisify(execFile);
const PS_TIMEOUT_MS = 5_000;
/** Place of the start time among the fields of /proc/<pid>/stat that follow the command name. */
const START_FIELD = 19;

/**
 * When a process started, in words of the operating system that never change while it lives; undefined when there is
 * no such process, or it is a zombie. Pid and start together name one process for ever.
 */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields === undefined || fields[0] === 'Z' ? undefined : fields[START_FIELD];
  }
  const found = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: PS_TIMEOUT_MS }).catch(
    () => undefined,
  );
  return found?.stdout.trim() || undefined;
}

/** Whether exactly this process still lives; a later process with the same pid does not count. */
export async function isAlive({ pid, started }: Pick<DevProcess, 'pid' | 'started'>): Promise<boolean> {
  const now = await startOf(pid);
  return now !== undefined && (started === undefined || now === started);
}

/** Signals exactly this process; true when it was there to be signalled. */
export async function signalProcess(
  target: Pick<DevProcess, 'pid' | 'started'>,
  signal: NodeJS.Signals,
): Promise<boolean> {
  if (!(await isAlive(target))) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    return false;
  }
}
