import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectorExit } from '../connector-runtime.ts';
import { within } from './engine-client.ts';
import type { Demuxed } from './frame-demuxer.ts';

/** How long after the end of the output, or of anything said at all, the engine is asked what became of the container. */
export const LOST_AFTER_MS = 15_000;
/** How many times in a row the engine may not tell of a container whose output goes on. */
const MAX_MISSES = 2;
const INSPECT_TIMEOUT_MS = 5_000;
/** The output ends when the container does; one that ended this long before was cut off. */
const CUT_MS = 2_000;

export type ContainerState = {
  readonly Running: boolean;
  readonly ExitCode: number;
  readonly OOMKilled: boolean;
  readonly FinishedAt: string;
};

export type EndDeps = {
  /** The engine's answer to `wait`; it is known never to come when the engine is killed. */
  readonly waited: Promise<unknown>;
  readonly output: Demuxed['ended'];
  readonly inspect: () => Promise<{ readonly State: ContainerState }>;
  /** We have asked it to stop: what it still said may be cut off by us, and counts for no success. */
  readonly isStopped: () => boolean;
  readonly lostAfterMs: number;
};

type End = Pick<ConnectorExit, 'code' | 'oomKilled' | 'failure'>;

const LOST: End = { code: undefined, oomKilled: false, failure: 'runtime_lost' };

/**
 * How a container ended. An exit code counts only when the engine told of the end itself, is still there to be asked, and
 * the output lasted as long as the container: an engine that restarts ends every output cleanly, and a container whose
 * reader was cut off runs on and ends well with its data thrown away. All else is `runtime_lost`.
 */
export async function endOfContainer({ waited, output, inspect, isStopped, lostAfterMs }: EndDeps): Promise<End> {
  const seen: { endedAt?: number; how?: 'whole' | 'cut' } = {};
  const noted = output.then((how) => Object.assign(seen, { how, endedAt: Date.now() }));
  const told = waited.then(
    () => true,
    () => false,
  );
  const state = () =>
    within(inspect(), INSPECT_TIMEOUT_MS).then(
      ({ State }) => State,
      () => undefined,
    );

  for (let misses = 0; ; ) {
    const { clear, promise: quiet } = timer(lostAfterMs);
    const first = await Promise.race([told, seen.endedAt === undefined ? Promise.race([noted, quiet]) : quiet]);
    clear();
    if (first === false) return LOST;
    if (first === true) break;
    // The output has just ended: the engine has its time from now on.
    if (first !== undefined) continue;
    misses = (await state())?.Running === true && seen.endedAt === undefined ? 0 : misses + 1;
    if (misses >= (seen.endedAt === undefined ? MAX_MISSES : 1)) return LOST;
  }
  const last = await state();
  if (last === undefined || last.Running) return LOST;
  const { endedAt = Number.POSITIVE_INFINITY, how } = seen;
  const isCut = how === 'cut' || Date.parse(last.FinishedAt) > endedAt + CUT_MS;
  if (isCut && !isStopped()) return LOST;
  return { code: last.ExitCode, oomKilled: last.OOMKilled };
}

function timer(ms: number): { readonly promise: Promise<undefined>; readonly clear: () => void } {
  const abort = new AbortController();
  const promise = sleep(ms, undefined, { signal: abort.signal }).catch(() => undefined);
  return { promise, clear: () => abort.abort() };
}
