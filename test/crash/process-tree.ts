import { readdirSync, readFileSync } from 'node:fs';

/** The pids below one whose command line matches. */
export function below(pid: number, command: RegExp): number[] {
  return descendants(pid).filter((one) => command.test(readProcFile(one, 'cmdline') ?? ''));
}

/** A process that has ended but was not waited for by its parent counts as gone. */
export function isRunning(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** The pids of every process below one. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const all = (one: number): number[] => (children.get(one) ?? []).flatMap((child) => [child, ...all(child)]);
  return all(pid);
}

/**
 * What a file of a process says; undefined once the process is gone. No disk is behind it: to wait for each costs several
 * times what it costs to read it, as a buffer of 64 KiB is made for a file whose length nobody knows.
 */
export function readProcFile(pid: number, name: 'stat' | 'cmdline' | 'environ' | 'comm'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function parentOf(pid: number): number | undefined {
  const [, state, parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(readProcFile(pid, 'stat') ?? '') ?? [];
  return state === undefined || state === 'Z' ? undefined : Number(parent);
}
