import { readdir, readFile, readlink, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { until } from '../until.ts';

const PID = /^\d+$/;
/** What the names of our control groups begin with. */
export const CGROUP_PREFIX = 'weir-engine-';
const CGROUPS = '/sys/fs/cgroup';

export type NamespaceKind = 'mnt' | 'user' | 'net';

/** Names the namespace that a process is in, as the kernel does (`mnt:[4026532177]`); undefined when it is gone. */
export function namespaceOf(pid: number, kind: NamespaceKind): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/${kind}`).catch(() => undefined);
}

/** Waits until a process that was told to leave our namespaces of these kinds has left them. */
export async function untilApart(pid: number, kinds: readonly NamespaceKind[]): Promise<void> {
  const all = (one: number) => Promise.all(kinds.map((kind) => namespaceOf(one, kind)));
  const ours = await all(process.pid);
  await until(`namespaces of its own for process ${pid}`, async () => {
    const its = await all(pid);
    return its.every((name, at) => name !== undefined && name !== ours[at]);
  });
}

/** Waits until a process has ended, whether or not somebody has taken note of it. */
export async function untilEnded(pid: number): Promise<void> {
  await until(`the end of process ${pid} of an engine`, async () => !(await isAlive(pid)));
}

async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tX');
  return !/^State:\s+[ZX]/m.test(status);
}

async function membersOf(kind: NamespaceKind, name: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => PID.test(entry)).map(Number);
  const names = await Promise.all(pids.map((pid) => namespaceOf(pid, kind)));
  return pids.filter((_pid, at) => names[at] === name);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
  }
}

/** Kills what `members` finds until it finds nothing any more. */
async function killAll(members: () => Promise<number[]>): Promise<void> {
  await until('the end of all processes of an engine', async () => {
    const pids = await members();
    for (const pid of pids) kill(pid);
    return pids.length === 0;
  });
}

/**
 * Ends every process in a namespace that an engine made for itself. With the last one the kernel takes away the
 * namespace, its mounts and its interfaces.
 */
export async function endNamespace(kind: NamespaceKind, name: string): Promise<void> {
  const machine = await Promise.all([process.pid, process.ppid, 1].map((pid) => namespaceOf(pid, kind)));
  if (machine.includes(name)) throw new Error(`${name} is not a namespace of an engine`);
  await killAll(() => membersOf(kind, name));
}

async function cgroupsNamed(name: string): Promise<string[]> {
  const hierarchies = await readdir(CGROUPS, { withFileTypes: true }).catch(() => []);
  const roots = [CGROUPS, ...hierarchies.filter((entry) => entry.isDirectory()).map((entry) => entry.name)];
  const found: string[] = [];
  for (const root of roots) {
    const folder = path.resolve(CGROUPS, root, name);
    const below = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
    if (below === undefined) continue;
    const children = below
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(entry.parentPath, entry.name));
    found.push(...children.sort((a, b) => b.length - a.length), folder);
  }
  return found;
}

/** Ends every process of the control groups below `name`, in every hierarchy, and removes the groups. */
export async function endCgroups(name: string): Promise<void> {
  if (!name.startsWith(CGROUP_PREFIX)) throw new Error(`${name} is not a control group of an engine`);
  const groups = await cgroupsNamed(name);
  await killAll(async () => {
    const lists = await Promise.all(
      groups.map((group) => readFile(path.join(group, 'cgroup.procs'), 'utf8').catch(() => '')),
    );
    return [...new Set(lists.join('\n').split('\n').filter(Boolean).map(Number))];
  });
  for (const group of await cgroupsNamed(name)) await rmdir(group).catch(() => undefined);
}
