import { readdirSync, readFileSync } from 'node:fs';

const KIB = 1024;

/** The ids of a process and of everything below it, as the kernel's process table has them now; Linux only. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : undefined;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [Number(name)]);
    else siblings.push(Number(name));
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** The proportional set size of a process in bytes: its own pages and its share of shared ones; 0 when it is gone. */
export function pssBytes(pid: number): number {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * KIB;
}

function parentOf(pid: number): number | undefined {
  // The name of the program stands in brackets and may hold anything; the state and the parent come behind it.
  const text = read(`/proc/${pid}/stat`);
  const parent = text.slice(text.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? undefined : Number(parent);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
