import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = '/sys/fs/cgroup';
/** Of the first version each resource has a hierarchy of its own; the second has one for all. */
const ACCOUNTING = path.join(ROOT, 'cpuacct');
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** A control group by its path below the root, such as `/engine/daemon`. */
const placeOf = (group: string) => path.join(existsSync(ACCOUNTING) ? ACCOUNTING : ROOT, group);

/**
 * Processor seconds of all that ever ran in a control group and in those below it, ended or not, as the kernel adds them
 * up; 0 of one that nothing has run in yet.
 */
export function groupCpuSeconds(group: string): number {
  const place = placeOf(group);
  if (!existsSync(place)) return 0;
  if (existsSync(ACCOUNTING)) return Number(readFileSync(path.join(place, 'cpuacct.usage'), 'utf8')) / NANOSECONDS;
  const [, micros] = /^usage_usec (\d+)$/m.exec(readFileSync(path.join(place, 'cpu.stat'), 'utf8')) ?? [];
  return Number(micros) / MICROSECONDS;
}

/** The ids of the processes in a control group, and in those below it but `leftOut`; none of one that is gone. */
export function groupProcesses(group: string, leftOut?: string): number[] {
  if (group === leftOut) return [];
  try {
    const place = placeOf(group);
    const own = readFileSync(path.join(place, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    const folders = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...own, ...folders.flatMap(({ name }) => groupProcesses(path.join(group, name), leftOut))];
  } catch {
    return [];
  }
}

/** Puts processes into a control group, which is made when it is absent; what they start later begins there too. */
export function joinGroup(group: string, pids: readonly number[]): void {
  mkdirSync(placeOf(group), { recursive: true });
  for (const pid of pids) writeFileSync(path.join(placeOf(group), 'cgroup.procs'), String(pid));
}
