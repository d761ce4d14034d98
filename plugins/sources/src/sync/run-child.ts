import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PullProgress, READER_FLAGS, type RunImage } from '@weir/connector-runtime';
import type { SyncEvent } from '@weir/engine';
import type { RunFailureRecord } from '@weir/kernel';
import { type ChildWatch, watchChild } from '@weir/plugin-datasets/stage';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import type { ChildRegistry } from '../worker-deps.ts';
import { sourceFailure } from './failure.ts';
import {
  type ChildPlan,
  type FromChild,
  type FromParent,
  IN_CONTAINERS,
  type Progress,
  type Work,
} from './messages.ts';
import type { Sync } from './sync-types.ts';

/** How long an attempt may take to stop by itself before it is killed; longer than the connector's own grace. */
const STOP_GRACE_MS = 15_000;
const MAX_HEAP_MIB = 256;
/**
 * Threads take their memory from few places, so that what one has freed is there for the next, and what is large goes back
 * to the system when it is freed: by itself the bound rises with what was freed, and long lines would stay (glibc,
 * mallopt(3)). It costs no time, and a quarter less memory at the peak.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' };
/** What the process of an attempt may know of our environment. */
const ENVIRONMENT = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ', 'NODE_COMPILE_CACHE', 'WEIR_FAULTPOINTS'] as const;

export interface StartChildOptions {
  begun: BegunChild;
  plan: ChildPlan;
  children: ChildRegistry;
  /** What the process tells by itself, and that it has failed or was lost. */
  onEvent(event: SyncEvent<Sync>): void;
  onProgress(streams: Record<string, Progress>): void;
  /** Told how far the image is pulled. */
  onPull(progress: PullProgress): void;
  /** Told which image runs, when it does in a container. */
  onImage(image: RunImage): void;
  /** Keeps the credentials that the connector renewed; never rejects. */
  onRotated(config: Readonly<Record<string, unknown>>): void;
  /** Takes lines of the log; resolves when there is room for more. */
  onLog(lines: readonly RunLogEntry[]): Promise<void>;
}

/** The process of one attempt. */
export interface SyncChild {
  /** Has a piece of work done. Never rejects: a process that is lost has failed at it. */
  perform(work: Work): Promise<SyncEvent<Sync>>;
  release(segment: number): void;
  /** Has the connector stopped; a process that does not come to its end by itself is killed. */
  stop(): void;
  /** Ends the process and its connector: in good order, or at once. Resolves when they are gone. */
  end(how: 'in order' | 'at once'): Promise<void>;
}

/** The process of one attempt, which loads its code and waits for its plan. */
export interface BegunChild {
  process: ChildProcess;
  gone: Promise<void>;
  /** Has it killed when it hangs. Returns what ends the watch. */
  watch(onHung: () => void): () => void;
  /** Ends it, were it already at work. Resolves when it is gone. */
  discard(): Promise<void>;
}

/** Begins the process of one attempt, so that it loads its code before there is a plan. It knows nothing of our environment. */
export function beginChild(
  children: ChildRegistry,
  { inContainers, watch = watchChild }: { inContainers: boolean; watch?: ChildWatch | undefined },
): BegunChild {
  const child = fork(childProgram(), inContainers ? [IN_CONTAINERS] : [], {
    env: { ...environment(), ...MALLOC },
    execArgv: [
      '--conditions=@weir/source',
      '--disable-warning=ExperimentalWarning',
      `--max-old-space-size=${MAX_HEAP_MIB}`,
      ...READER_FLAGS,
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { pid } = child;
  if (pid !== undefined) children.started({ name: 'spare', pid, parent: process.pid });
  const gone = endOf(child).then(() => {
    if (pid !== undefined) children.ended(pid);
  });
  const discard = () => {
    child.kill('SIGKILL');
    return gone;
  };
  return { process: child, gone, watch: (onHung) => watch(child, onHung), discard };
}

/** Gives the process of one attempt its plan, over the channel, and with that its work. */
export function startChild({
  begun,
  plan,
  children,
  onEvent,
  onProgress,
  onPull,
  onLog,
  onImage,
  onRotated,
}: StartChildOptions): SyncChild {
  const child = begun.process;
  const waiting = new Map<number, (event: SyncEvent<Sync>) => void>();
  let asked = 0;
  let failure: RunFailureRecord = sourceFailure('sync_process_lost');
  /** What all work comes to once the process is gone, also what is asked for later: who waited for it would wait for ever. */
  let lost: SyncEvent<Sync> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const pids: number[] = [];
  const started = (name: string, pid: number, parent = process.pid) => {
    pids.push(pid);
    children.started({ name, pid, parent });
  };
  const killLater = () => {
    timer ??= setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  };

  const endWatch = begun.watch(() => {
    failure = sourceFailure('sync_process_hung');
  });

  child.on('message', (message: FromChild) => {
    if (message.type === 'pulse') return;
    if (message.type === 'done') {
      waiting.get(message.id)?.(message.event);
      waiting.delete(message.id);
    } else if (message.type === 'event') onEvent(message.event);
    else if (message.type === 'progress') onProgress(message.streams);
    else if (message.type === 'pull') onPull(message.progress);
    else if (message.type === 'log') void onLog(message.lines).then(() => tell(child, { type: 'logged' }));
    else if (message.type === 'image') onImage(message.image);
    else if (message.type === 'rotated') onRotated(message.config);
    else if (message.type === 'connector') {
      started(message.name, message.pid, child.pid);
    } else failure = message.failure;
  });
  const gone = begun.gone.then(() => {
    clearTimeout(timer);
    endWatch();
    for (const pid of pids) children.ended(pid);
    lost = { type: 'failed', failure };
    for (const settle of waiting.values()) settle(lost);
    onEvent(lost);
  });
  if (child.pid !== undefined) started('sync', child.pid);
  tell(child, { type: 'plan', plan, trace: children.environment?.() ?? {} });

  return {
    async perform(work) {
      if (lost !== undefined) return lost;
      asked += 1;
      const { promise, resolve } = Promise.withResolvers<SyncEvent<Sync>>();
      waiting.set(asked, resolve);
      tell(child, { type: 'work', id: asked, work });
      return promise;
    },
    release: (segment) => tell(child, { type: 'release', segment }),
    stop() {
      tell(child, { type: 'stop' });
      killLater();
    },
    async end(how) {
      if (how === 'at once') child.kill('SIGKILL');
      else tell(child, { type: 'end' });
      killLater();
      await gone;
    },
  };
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** A process that is gone needs no message; its end is noticed elsewhere. */
function tell(child: ChildProcess, message: FromParent): void {
  if (child.connected) child.send(message, () => undefined);
}

function childProgram(): string {
  return fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
