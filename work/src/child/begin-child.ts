import { type ChildProcess, fork } from 'node:child_process';
import { armedFaultpoints, type ChildRegistry } from '@weir/kernel';
import {
  type BoundedProcess,
  type Bounds,
  type ChildWatch,
  childOptions,
  programFile,
  startBounded,
  watchChild,
} from '@weir/processes';

/** The process of one attempt, which loads its code and waits for its plan. */
export interface BegunChild {
  process: ChildProcess;
  /** What lies between it and the system, where it was begun within bounds. */
  bounded?: Omit<BoundedProcess, 'process'>;
  /** Resolves when it is at work no more. */
  gone: Promise<void>;
  /** Has it killed when it hangs. Returns what ends the watch. */
  watch(onHung: () => void): () => void;
  /** Ends it, were it already at work. Resolves when it is gone. */
  discard(): Promise<void>;
}

export interface ChildProgram {
  /** The file that the process runs. */
  file: string;
  /** What the process is called until its work names it. */
  name: string;
  maxHeapMiB: number;
  args?: readonly string[];
  /** Flags of Node. */
  flags?: readonly string[];
  /** Another watch than that of a minute's silence. */
  watch?: ChildWatch | undefined;
  /** `advanced` carries what JSON cannot: maps, bytes and large integers. */
  serialization?: 'json' | 'advanced';
  /** Bounds of the system behind which it runs; none unless given. */
  bounds?: Bounds | undefined;
}

/** Begins the process of one attempt, so that it loads its code before there is a plan. It knows nothing of our environment. */
export function beginChild(
  children: ChildRegistry,
  {
    file: program,
    name,
    maxHeapMiB,
    args = [],
    flags = [],
    watch = watchChild,
    serialization = 'json',
    bounds,
  }: ChildProgram,
): BegunChild {
  const { env, execArgv: own } = childOptions(maxHeapMiB, { WEIR_FAULTPOINTS: armedFaultpoints() });
  const file = programFile(program);
  const execArgv = [...own, ...flags];
  const bounded = bounds && startBounded({ file, args, flags: execArgv, env, serialization }, bounds);
  const child =
    bounded?.process ??
    fork(file, args, { env, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization });
  const { pid } = child;
  if (pid !== undefined) children.started({ name, pid, parent: process.pid });
  const gone = endOf(child).then(() => {
    if (pid !== undefined) children.ended(pid);
  });
  const discard = async () => {
    // Until its first word the program is not bound to die with what begins it: killed earlier, that would leave it behind.
    await bounded?.pid.catch(() => undefined);
    child.kill('SIGKILL');
    return gone;
  };
  return { process: child, ...(bounded && { bounded }), gone, watch: (onHung) => watch(child, onHung), discard };
}

/** Sends a message to a process; one that is gone needs none, and its end is noticed elsewhere. */
export function sendTo(child: ChildProcess, message: object): void {
  if (child.connected) child.send(message, () => undefined);
}

/** Its end and that of its channel: a process that began it for us may be gone before it is. */
function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const end = () => (child.connected ? child.once('disconnect', () => resolve()) : resolve());
    child.once('exit', end);
    child.once('error', () => resolve());
  });
}
