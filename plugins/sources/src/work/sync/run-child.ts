import type { ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PullProgress, READER_FLAGS, type RunImage } from '@weir/connector-runtime';
import type { SyncEvent } from '@weir/engine';
import type { ChildRegistry, RunFailureRecord } from '@weir/kernel';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import type { ChildWatch } from '@weir/processes';
import { type BegunChild, beginChild, sendTo } from '@weir/work';
import { sourceFailure } from '../../model/failure/failure.ts';
import type { ReadNotes } from '../../model/notes/read-notes.ts';
import {
  type ChildPlan,
  type FromChild,
  type FromParent,
  IN_CONTAINERS,
  type Progress,
  type Work,
} from '../../model/process/messages.ts';
import type { Sync } from '../../model/process/sync-types.ts';

/** How long an attempt may take to stop by itself before it is killed; longer than the connector's own grace. */
const STOP_GRACE_MS = 15_000;
const MAX_HEAP_MIB = 256;

export interface StartChildOptions {
  begun: BegunChild;
  plan: ChildPlan;
  children: ChildRegistry;
  /** What the process tells by itself, and that it has failed or was lost. */
  onEvent(event: SyncEvent<Sync>): void;
  onProgress(streams: Record<string, Progress>): void;
  /** Told what was noted so far of these streams. */
  onNoted(streams: Record<string, ReadNotes>): void;
  /** Told what was noted of a stream before a state of it, or its end, was sealed. */
  onCovered(streamId: string, state: string | undefined, notes: ReadNotes): void;
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

/** Begins the process of one attempt of a sync. */
export function beginSyncChild(
  children: ChildRegistry,
  { inContainers, watch }: { inContainers: boolean; watch?: ChildWatch | undefined },
): BegunChild {
  return beginChild(children, {
    file: childProgram(),
    name: 'spare',
    maxHeapMiB: MAX_HEAP_MIB,
    args: inContainers ? [IN_CONTAINERS] : [],
    flags: READER_FLAGS,
    watch,
  });
}

/** Gives the process of one attempt its plan, over the channel, and with that its work. */
export function startChild({
  begun,
  plan,
  children,
  onEvent,
  onProgress,
  onNoted,
  onCovered,
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
    } else if (message.type === 'event') {
      const { event, notes } = message;
      if (event.type === 'sealed' && notes !== undefined) onCovered(event.segment.stream, event.segment.state, notes);
      onEvent(event);
    } else if (message.type === 'noted') onNoted(message.streams);
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

const tell = (child: ChildProcess, message: FromParent): void => sendTo(child, message);

function childProgram(): string {
  return fileURLToPath(new URL(`../../child/sync-child${extname(import.meta.url)}`, import.meta.url));
}
