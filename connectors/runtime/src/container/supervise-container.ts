import type { Readable } from 'node:stream';
import type { Container } from 'dockerode';
import { byteTail } from '../byte-tail.ts';
import type { ConnectorErrorCode } from '../connector-error.ts';
import {
  type ConnectorExit,
  type ConnectorProcess,
  type ConnectorRun,
  type RunImage,
  STDERR_TAIL_BYTES,
  STOP_GRACE_MS,
} from '../connector-runtime.ts';
import { endOfContainer } from './container-end.ts';
import { within } from './engine-client.ts';
import type { EngineWorkspace } from './engine-workspace.ts';
import { demuxFrames } from './frame-demuxer.ts';
import { isAtProcessBound } from './process-bound.ts';
import { watchSegments } from './segment-quota.ts';

const MS_PER_SECOND = 1_000;
/** How long the engine may take to stop a container beyond the grace time, before it is told to kill it. */
const STOP_SLACK_MS = 1_000;
/** How long after that the output may hold up the end; what was not read of it by then is dropped. */
const GIVE_UP_MS = 1_000;

export type StartedContainer = {
  readonly name: string;
  readonly container: Container;
  readonly image: RunImage;
  /** The attach stream, as the engine frames it. */
  readonly stream: Readable;
  readonly waited: Promise<unknown>;
  readonly workspace: EngineWorkspace;
  readonly request: Pick<ConnectorRun, 'signal' | 'onStderr'>;
  readonly lostAfterMs: number;
  readonly atPoint: (point: 'S13') => Promise<void>;
};

/** A started container as every connector is seen; removed when it has ended and its output was read or given up. */
export function superviseContainer(started: StartedContainer): ConnectorProcess {
  const { name, container, image, workspace, lostAfterMs, atPoint } = started;
  const { signal, onStderr = () => undefined } = started.request;
  const stderr = byteTail(STDERR_TAIL_BYTES);
  const { stdout, ended, drain } = demuxFrames(started.stream, (bytes) => {
    stderr.push(bytes);
    onStderr(bytes);
  });
  let stopping: Promise<void> | undefined;
  let giveUp: NodeJS.Timeout | undefined;
  let isOver = false;
  let failure: ConnectorErrorCode | undefined;
  const removal = Promise.withResolvers<void>();
  const removeNow = async () => {
    await atPoint('S13');
    await remove(container);
    removal.resolve();
  };

  const askToStop = () => {
    if (isOver) return;
    drain();
    stopping ??= stopContainer(container).finally(() => {
      giveUp = setTimeout(() => stdout.destroy(), GIVE_UP_MS);
      if (isOver) clearTimeout(giveUp);
    });
  };
  const endWatch =
    workspace.segments === undefined
      ? () => undefined
      : watchSegments(workspace.segments.path, () => {
          failure = 'segment_backlog';
          askToStop();
        });
  const exit = (async (): Promise<ConnectorExit> => {
    const inspect = () => container.inspect();
    const isStopped = () => stopping !== undefined;
    const end = await endOfContainer({ waited: started.waited, output: ended, inspect, isStopped, lostAfterMs });
    isOver = true;
    clearTimeout(giveUp);
    endWatch();
    signal?.removeEventListener('abort', askToStop);
    await workspace.destroy().catch(() => undefined);
    const reason =
      failure ?? end.failure ?? (neverBegan(end.code, stderr.text()) ? 'connector_image_unusable' : undefined);
    // What is lost is not worth waiting for; what was said waits for its reader, who may come later.
    if (end.failure !== undefined) stdout.destroy();
    if (stdout.closed || end.failure !== undefined) await removeNow();
    else stdout.once('close', () => void removeNow());
    const { code, oomKilled } = end;
    const base = { code, signal: undefined, oomKilled, stopped: stopping !== undefined };
    return reason === undefined ? base : { ...base, failure: reason };
  })();
  signal?.addEventListener('abort', askToStop, { once: true });
  if (signal?.aborted) askToStop();

  return {
    name,
    pid: undefined,
    image,
    stdout,
    ...(workspace.segments === undefined ? {} : { segments: workspace.segments }),
    stderrTail: stderr.text,
    exit,
    removed: removal.promise,
    boundNow: async () => ((await isAtProcessBound(container)) ? 'connector_processes_exhausted' : undefined),
    stop() {
      askToStop();
      return exit;
    },
  };
}

/** PID 1 of ours could not start the image's program. */
function neverBegan(code: number | undefined, stderr: string): boolean {
  return (code === 126 || code === 127) && stderr.startsWith('[FATAL tini ');
}

/** Asks a container to stop; the engine kills it after the grace time, and is told to if it does not get to it. */
async function stopContainer(container: Container): Promise<void> {
  try {
    await within(container.stop({ t: STOP_GRACE_MS / MS_PER_SECOND }), STOP_GRACE_MS + STOP_SLACK_MS);
  } catch {
    // One that has ended cannot be stopped; an engine that is away is noticed by its silence.
    await within(container.kill(), STOP_SLACK_MS).catch(() => undefined);
  }
}

/** Removes a container with all that it had. One that cannot be is left for the reaper. */
export async function remove(container: Container): Promise<void> {
  await within(container.remove({ force: true, v: true })).catch(() => undefined);
}
