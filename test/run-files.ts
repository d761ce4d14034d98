import { availableParallelism, cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** At most so many files run at once for each core, while what runs leaves cores idle: more would run each other out of time. */
const FILES_PER_CORE = 2;
/** One file more is run at once when less than this part of the cores computed since the last look, */
const BUSY_ENOUGH = 0.95;
/** and one less when so much of them did, as then each file only waits for the others. */
const TOO_BUSY = 0.995;
/** Longer than a process of ours takes to start, which shows in the next look. */
const LOOK_MS = 4_000;

/** Processor time of the whole machine in milliseconds since it started: what was computed, and all there was. */
function machineTime(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq;
    busy += used;
    all += used + times.idle;
  }
  return { busy, all };
}

/** Tells which part of the machine's cores computed, from 0 to 1, since the last time it was asked. */
export function busyMeter(): () => number {
  let last = machineTime();
  return () => {
    const now = machineTime();
    const part = now.all > last.all ? (now.busy - last.busy) / (now.all - last.all) : 1;
    last = now;
    return part;
  };
}

/**
 * Runs every file, as many at once as there are cores, and up to twice as many for as long as fewer leave cores idle.
 * Each gets a slot, a small number that no other running file has. Resolves when all have
 * ended, those that run when `signal` aborts; `run` does not reject.
 */
export async function runFiles(
  files: readonly string[],
  run: (file: string, slot: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const waiting = [...files];
  signal?.addEventListener('abort', () => waiting.splice(0));
  const running = new Set<Promise<void>>();
  const cores = availableParallelism();
  const slots = new Set(Array.from({ length: cores * FILES_PER_CORE }, (_, at) => at));
  const begin = () => {
    const file = waiting.shift();
    if (file === undefined) return;
    const [slot = 0] = slots;
    slots.delete(slot);
    const ran: Promise<void> = run(file, slot).finally(() => {
      running.delete(ran);
      slots.add(slot);
    });
    running.add(ran);
  };
  const busy = busyMeter();
  let looked = Date.now();
  let atOnce = cores;
  while (waiting.length > 0 || running.size > 0) {
    while (running.size < atOnce && waiting.length > 0) begin();
    await Promise.race([...running, delay(LOOK_MS)]);
    if (Date.now() - looked < LOOK_MS) continue;
    looked = Date.now();
    const part = busy();
    if (part < BUSY_ENOUGH) atOnce = Math.min(atOnce + 1, cores * FILES_PER_CORE);
    else if (part > TOO_BUSY) atOnce = Math.max(atOnce - 1, cores);
  }
}
