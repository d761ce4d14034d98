import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

const BEAT_MS = 1_000;
/** How many beats of its own one side waits for the other before it takes it for stuck. */
const MAX_MISSED_BEATS = 30;

/** What the two sides share: the beats of the loop that is watched, and those of the thread that watches. */
export const LOOP_BEATS = 0;
export const WATCHDOG_BEATS = 1;
const SIDES = 2;

/** What the thread is given. */
export interface WatchdogFacts {
  beats: Int32Array;
  beatMs: number;
  maxMissed: number;
}

export interface WatchdogOptions {
  /** Called at every beat of the loop that is watched. */
  onBeat?(): void;
  /** Called once when nobody watches any more: the thread could not start, has ended or is stuck. */
  onLost(reason: string): void;
  beatMs?: number;
  maxMissed?: number;
  /** The program of the thread. */
  program?: URL;
}

/**
 * Watches the event loop of this process from a thread of its own: a loop that has not turned for half a minute is ended
 * with SIGKILL, and the reason stands on stderr as a line of JSON. Both sides count beats and read no clock, so that a
 * process that was suspended is not taken for a stuck one. The loop watches the thread in turn.
 */
export function startWatchdog(options: WatchdogOptions): { stop(): Promise<void> } {
  const { onBeat = () => undefined, onLost, beatMs = BEAT_MS, maxMissed = MAX_MISSED_BEATS } = options;
  const { program = new URL(`./watchdog-thread${extname(import.meta.url)}`, import.meta.url) } = options;
  const beats = new Int32Array(new SharedArrayBuffer(SIDES * Int32Array.BYTES_PER_ELEMENT));
  let over = false;
  const lose = (reason: string) => {
    if (over) return;
    over = true;
    clearInterval(timer);
    onLost(reason);
  };
  const thread = new Worker(program, { workerData: { beats, beatMs, maxMissed } satisfies WatchdogFacts });
  thread.once('error', () => lose('the watchdog has failed'));
  thread.once('exit', () => lose('the watchdog has ended'));
  const stuck = missedBeats(beats, WATCHDOG_BEATS);
  const timer = setInterval(() => {
    Atomics.add(beats, LOOP_BEATS, 1);
    onBeat();
    if (stuck() > maxMissed) lose('the watchdog is stuck');
  }, beatMs);
  return {
    async stop() {
      over = true;
      clearInterval(timer);
      await thread.terminate();
    },
  };
}

/** Counts, at each call, for how many calls on end a side has not beaten. */
export function missedBeats(beats: Int32Array, side: number): () => number {
  let seen = Atomics.load(beats, side);
  let missed = 0;
  return () => {
    const now = Atomics.load(beats, side);
    missed = now === seen ? missed + 1 : 0;
    seen = now;
    return missed;
  };
}
