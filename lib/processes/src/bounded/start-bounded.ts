import { type ChildProcess, type SerializationType, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { programFolders } from './program-folders.ts';
import { asUser, type Place, programTable, RUN_MS, run, showPlaces } from './view.ts';

/** Which bounds of the system a process gets; those that do not hold here are left out by whoever has tried them. */
export interface Bounds {
  /** A folder that stands for the root of what it sees; undefined: it sees, and reaches, what we do. */
  readonly root?: string;
  /** The user that it runs as, where we are root; that one reads what our group may. */
  readonly uid?: number;
  /** What it may hold in memory that is its own, in MiB. */
  readonly dataMiB: number;
  /** Whether it can be kept from starting others. */
  readonly canSeal: boolean;
}

/** A program of ours, as Node runs it. */
export interface NodeProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Flags of Node. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly serialization?: SerializationType;
  /** Whether what it says on its standard error is thrown away. */
  readonly isQuiet?: boolean;
}

export interface BoundedProcess {
  /** Its end is the end of the program; it is killed with it. */
  readonly process: ChildProcess;
  /** The program itself. From then on it dies with `process`, and not before. Rejects when it could not be begun. */
  readonly pid: Promise<number>;
  /** Lets it see folders, and no more those that it was shown before. Without a view it sees them anyhow. */
  show(places: readonly Place[]): Promise<void>;
  /** From now on it starts neither processes nor threads, where that can be. */
  seal(): Promise<void>;
}

/** It leaves no core; the first field is the bound of its memory in KiB. */
const LIMITS = 'ulimit -c 0; ulimit -d "$1"; shift';
/**
 * Makes the view and runs the program in it. This shell is the first process there, and ends with the program. The fields are the
 * root, its table of file systems, the user and the group; what follows is the program.
 */
const IN_VIEW = `${LIMITS}
set -e
root=$1 table=$2 user=$3 group=$4; shift 4
mount --all --fstab "$table"
: >"$root/setpriv"
mount --bind "$(command -v setpriv)" "$root/setpriv"
as=; test -z "$user" || as="--reuid $user --regid $group --clear-groups"
(
  read -r own rest </proc/self/stat
  mkdir -p "$root/proc/self"
  mount --bind "/proc/$own" "$root/proc/self"
  mount -o remount,bind,ro,nosuid,nodev "$root"
  echo "$own"
  exec chroot "$root" /setpriv $as --no-new-privs --inh-caps=-all --bounding-set=-all "$@" >/dev/null
) &
exec 2>/dev/null 3>&-
wait $!`;
const IN_LIMITS = `${LIMITS}
read -r own rest </proc/self/stat
echo "$own"
exec "$@" >/dev/null`;
const NAMESPACES = ['--mount', '--net', '--ipc', '--pid', '--fork', '--kill-child', ...asUser('--map-root-user')];
const KIB_PER_MIB = 1_024;

/** Begins a program of ours behind bounds of the system: with `root` it sees its code alone, and no network. */
export function startBounded(program: NodeProgram, { root, uid, dataMiB, canSeal }: Bounds): BoundedProcess {
  const { file, args, flags, env, serialization = 'json', isQuiet = false } = program;
  const node = [process.execPath, ...flags, file, ...args];
  const data = String(dataMiB * KIB_PER_MIB);
  const options: SpawnOptions = {
    env,
    stdio: ['ignore', 'pipe', isQuiet ? 'ignore' : 'inherit', 'ipc'],
    serialization,
  };
  const child =
    root === undefined
      ? spawn('sh', ['-c', IN_LIMITS, 'sh', data, ...node], options)
      : spawn(
          'unshare',
          [...NAMESPACES, 'sh', '-c', IN_VIEW, 'sh', data, ...viewOf(root, file, uid), ...node],
          options,
        );
  const pid = firstLine(child);
  pid.catch(() => undefined);
  let shown: readonly Place[] = [];
  return {
    process: child,
    pid,
    async show(places) {
      if (root === undefined) return;
      await showPlaces({ pid: await pid, root, shown }, places);
      shown = places;
    },
    async seal() {
      if (!canSeal) return;
      const lower = ['prlimit', '--pid', String(await pid), '--nproc=1:1'];
      // Whose limits are lowered is one's own user, or asks for a capability that a container's root may lack.
      const [program = '', ...rest] = [...(uid === undefined ? [] : ['setpriv', ...asUid(uid)]), ...lower];
      await run(program, rest);
    },
  };
}

const asUid = (uid: number): string[] => [`--reuid=${uid}`, `--regid=${process.getgid?.()}`, '--clear-groups'];

/** What the view of a program is made of. */
function viewOf(root: string, file: string, uid: number | undefined): string[] {
  const table = `${root}.table`;
  mkdirSync(root, { recursive: true, mode: 0o700 });
  // Another that begins may be reading it.
  if (!existsSync(table)) writeFileSync(table, programTable(root, programFolders(file)));
  return [root, table, uid === undefined ? '' : String(uid), String(process.getgid?.())];
}

/** The number that a process says first. */
async function firstLine(child: ChildProcess): Promise<number> {
  const lines = createInterface({ input: child.stdout as Readable });
  const late = delay(RUN_MS, [undefined], { ref: false });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close'), once(child, 'error'), late]);
  const pid = Number(line);
  if (!Number.isInteger(pid)) throw new Error('A process could not be begun within its bounds');
  return pid;
}
