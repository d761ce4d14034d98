import { readdirSync, readFileSync } from 'node:fs';

const KIB = 1024;
/** Linux counts processor time in hundredths of a second, whatever its clock ticks are. */
const TICKS_PER_SECOND = 100;
// Places behind the name, which is the second field of the file.
const PARENT = 1;
const OWN_TIMES = [11, 12] as const;
const CHILDREN_TIMES = [13, 14] as const;

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

/** The highest resident set that a process has had, in bytes, as the kernel kept it: nothing between two looks is missed. */
export function peakRssBytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * KIB;
}

/** The parent of a process; undefined when the process is gone. */
export function parentOf(pid: number): number | undefined {
  const parent = statFields(pid)[PARENT];
  return parent === undefined ? undefined : Number(parent);
}

/** Processor seconds of a process (`own`), and of its children that have ended and of theirs. */
export function cpuSeconds(pid: number | 'self'): { own: number; children: number } {
  const fields = statFields(pid);
  const sum = ([user, system]: readonly [number, number]) =>
    (Number(fields[user] ?? 0) + Number(fields[system] ?? 0)) / TICKS_PER_SECOND;
  return { own: sum(OWN_TIMES), children: sum(CHILDREN_TIMES) };
}

/** Begins to count the processor seconds of a process and of all below it that end meanwhile; gives what it has come to. */
export function cpuSince(root: number): () => number {
  const spent = () => Object.values(cpuSeconds(root)).reduce((total, seconds) => total + seconds, 0);
  const before = spent();
  return () => spent() - before;
}

/** The fields of `/proc/<pid>/stat` behind the name of the program, which stands in brackets and may hold anything. */
function statFields(pid: number | 'self'): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
