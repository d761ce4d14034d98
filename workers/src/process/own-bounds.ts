import { readFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { Refusal, type RunningPlatform } from '@weir/kernel/boot';

/** What a worker is held to, in the words of who runs it. */
export const BOUNDS = {
  user: 'it runs as root',
  capabilities: 'it has capabilities',
  bounding_set: 'its bounding set of capabilities is not empty',
  no_new_privileges: 'no-new-privileges is not set',
  root_file_system: 'its root file system is writable',
  temporary_files: 'its folder for temporary files is not a bounded noexec tmpfs',
} as const;

export type Bound = keyof typeof BOUNDS;

/** Without these a worker could do to its machine what an operator can. */
const REQUIRED: readonly Bound[] = ['user', 'capabilities'];
const KIB_PER_MIB = 1024;
const BYTES_PER_MIB = 1_048_576;
const NEXT_STEP =
  'run it as docs/how-to/run-a-hardened-worker.md says, or a container of it as a user of its own without capabilities';

/** The memory of the machine in MiB, or of the control group that this process is held to. */
export function machineMiB(): number {
  const constrained = process.constrainedMemory();
  const bytes = Math.min(totalmem(), constrained > 0 ? constrained : Number.POSITIVE_INFINITY);
  return Math.floor(bytes / BYTES_PER_MIB);
}

/** What the kernel tells of a process, as texts, and the folder in which it puts temporary files. */
export interface KernelFacts {
  /** `/proc/self/status`. */
  status: string;
  /** `/proc/self/mountinfo`. */
  mounts: string;
  temporary: string;
}

/** The bounds that a process is not held to. */
export function missingBounds({ status, mounts, temporary }: KernelFacts): Bound[] {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  const isEmpty = (name: string) => /^0+$/.test(field(name));
  const root = mountOf(mounts, '/');
  const tmp = mountOf(mounts, temporary);
  const isHeld: Record<Bound, boolean> = {
    user: field('Uid') !== '' && !field('Uid').split(/\s+/).includes('0'),
    capabilities: ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].every(isEmpty),
    bounding_set: isEmpty('CapBnd'),
    no_new_privileges: field('NoNewPrivs') === '1',
    root_file_system: root?.options.includes('ro') === true,
    temporary_files: tmp?.type === 'tmpfs' && tmp.options.includes('noexec') && /(?:^|,)size=/.test(tmp.limits),
  };
  return (Object.keys(BOUNDS) as Bound[]).filter((bound) => !isHeld[bound]);
}

/**
 * The bounds that a worker is not held to by its facts; undefined where there are none. Outside of development it throws the
 * `Refusal` `worker_privileged` for root and for one with capabilities, and warns of the others.
 */
export function holdToBounds(
  { settings, log }: Pick<RunningPlatform, 'settings' | 'log'>,
  facts: KernelFacts | undefined,
): Bound[] | undefined {
  const missing = facts && missingBounds(facts);
  if (missing === undefined || missing.length === 0 || settings.WEIR_MODE === 'development') return missing;
  const faults = REQUIRED.filter((bound) => missing.includes(bound)).map((bound) => BOUNDS[bound]);
  if (faults.length > 0) throw new Refusal('worker_privileged', [...faults, NEXT_STEP]);
  log.warn({ missing: missing.map((bound) => BOUNDS[bound]) }, 'this worker is held to less than it may be');
  return missing;
}

/**
 * How many MiB of memory the files of some folders may take: what each tmpfs is bounded to that one or more of them lie in, and none
 * elsewhere.
 */
export function memoryOfFiles(mounts: string, folders: readonly string[]): number {
  const sizes = new Map(
    folders.flatMap((folder) => {
      const mount = mountOf(mounts, folder);
      const [, kibibytes] = (mount?.type === 'tmpfs' && /(?:^|,)size=(\d+)k/.exec(mount.limits)) || [];
      return mount && kibibytes !== undefined ? [[mount.device, Number(kibibytes)] as const] : [];
    }),
  );
  return Math.ceil([...sizes.values()].reduce((sum, kibibytes) => sum + kibibytes, 0) / KIB_PER_MIB);
}

/** What the kernel tells of this process; undefined where there is no `/proc` to tell, as on macOS. */
export function ownFacts(): KernelFacts | undefined {
  const read = (name: string) => readFileSync(`/proc/self/${name}`, 'utf8');
  try {
    return { status: read('status'), mounts: read('mountinfo'), temporary: tmpdir() };
  } catch {
    return undefined;
  }
}

interface Mount {
  /** Of the file system, which may be mounted in several places. */
  device: string;
  options: string[];
  type: string;
  limits: string;
}

/** The mount that a folder lies in: the last of the nearest, since what is mounted over another hides it. */
function mountOf(mounts: string, folder: string): Mount | undefined {
  const wanted = folder.endsWith('/') ? folder : `${folder}/`;
  const found = mounts.split('\n').flatMap((line) => {
    const [, device = '', point = '', flags = '', type = '', limits = ''] =
      /^\d+ \d+ (\S+) \S+ (\S+) (\S+) .*?- (\S+) \S+ (\S+)$/.exec(line) ?? [];
    const at = point.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    const holds = point !== '' && wanted.startsWith(at.endsWith('/') ? at : `${at}/`);
    return holds ? [{ at, device, options: flags.split(','), type, limits }] : [];
  });
  return found.toReversed().sort((a, b) => b.at.length - a.at.length)[0];
}
