import { readdir, readFile } from 'node:fs/promises';

/** The pids below one whose command line matches. */
export async function below(pid: number, command: RegExp): Promise<number[]> {
  const pids = await descendants(pid);
  const lines = await Promise.all(pids.map((one) => readFile(`/proc/${one}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, at) => command.test(lines[at] ?? ''));
}

/** A process that has ended but was not waited for by its parent counts as gone. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await parentOf(pid)) !== undefined;
}

/** The pids of every process below one. */
export async function descendants(pid: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = await parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const all = (one: number): number[] => (children.get(one) ?? []).flatMap((child) => [child, ...all(child)]);
  return all(pid);
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, state, parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(stat) ?? [];
  return state === undefined || state === 'Z' ? undefined : Number(parent);
}
