import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** Fields of `/proc/<pid>/stat` behind the name, which may hold blanks and brackets. */
const [STATE, SESSION, FIRST_TIME, TIMES] = [0, 3, 11, 4];

interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly session: number;
  /** Of the process and of the children it has waited for. */
  readonly cpuSeconds: number;
}

const read = (pid: number | 'self', name: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
};

function statOf(pid: number | 'self'): ProcessStat | undefined {
  const text = read(pid, 'stat');
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(FIRST_TIME, FIRST_TIME + TIMES).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number.parseInt(text, 10),
    state: fields[STATE] ?? '',
    session: Number(fields[SESSION]),
    cpuSeconds: ticks / TICKS_PER_SECOND,
  };
}

/** CPU-seconds of this process and of all that it has waited for; undefined where there is no `/proc`. */
export const ownCpuSeconds = (): number | undefined => statOf('self')?.cpuSeconds;

let uncountedSeconds = 0;

/** Runs what a machine needs once, such as an install; its CPU-seconds do not count against the test file. */
export async function uncounted<T>(install: () => Promise<T>): Promise<T> {
  const before = ownCpuSeconds() ?? 0;
  try {
    return await install();
  } finally {
    uncountedSeconds += (ownCpuSeconds() ?? 0) - before;
  }
}

/** CPU-seconds of this process and of all that it has waited for, without what is uncounted; undefined without `/proc`. */
export function countedCpuSeconds(): number | undefined {
  const seconds = ownCpuSeconds();
  return seconds === undefined ? undefined : seconds - uncountedSeconds;
}

function allStats(): ProcessStat[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => statOf(Number(name)) ?? []);
}

/** CPU-seconds so far of the processes of each session. */
export function sessionCpuSeconds(): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { session, cpuSeconds } of allStats()) sums.set(session, (sums.get(session) ?? 0) + cpuSeconds);
  return sums;
}

/** A process that a test file has left running. */
export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Processes of a test file: those of its session, and those with a session of their own whose environment or arguments name
 * its temporary folder.
 */
export function processesOf(session: number, folder: string): LeftProcess[] {
  return allStats().flatMap(({ pid, state, session: its }) => {
    if (state === 'Z' || pid === process.pid) return [];
    const command = (read(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();
    const isOurs = its === session || command.includes(folder) || (read(pid, 'environ') ?? '').includes(folder);
    return isOurs ? [{ pid, command: command.replaceAll(/\s+/g, ' ').slice(0, 200) }] : [];
  });
}

/** Kills them at once. */
export function killProcesses(processes: readonly LeftProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
    }
  }
}
