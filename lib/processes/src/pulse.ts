import type { ChildProcess } from 'node:child_process';
import { access, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How often a process that works for another one says that it lives. */
const PULSE_EVERY_MS = 1_000;
/**
 * After so much silence it hangs. What it does in one go, such as parsing the metadata of a large table, takes it seconds; what
 * takes longer, typing and merging, is done by threads beside the one that speaks.
 */
const MAX_SILENCE_MS = 60_000;

/** Has `beat` called for as long as this process lives and its event loop turns; keeps no process alive. */
export function startPulse(beat: () => void): void {
  setInterval(beat, PULSE_EVERY_MS).unref();
}

/**
 * Watches a process that works for this one: each of its messages is a sign of life. One that hangs is killed, and `onHung`
 * is called, once. Returns what ends the watch.
 */
export type ChildWatch = (child: ChildProcess, onHung: () => void) => () => void;

/**
 * A watch for which a process hangs after so much silence. Time is counted by looks of our own, so that a process which stood
 * still itself, or was not given the processor, blames nobody else for it.
 */
export function watchFor(maxSilenceMs: number): ChildWatch {
  return (child, onHung) => {
    let silentMs = 0;
    const heard = (): void => {
      silentMs = 0;
    };
    const look = (): void => {
      silentMs += PULSE_EVERY_MS;
      if (silentMs < maxSilenceMs) return;
      end();
      child.kill('SIGKILL');
      onHung();
    };
    const timer = setInterval(look, PULSE_EVERY_MS);
    const end = (): void => {
      clearInterval(timer);
      child.off('message', heard);
    };
    child.on('message', heard);
    return end;
  };
}

/** What watches every process that works for another. */
export const watchChild: ChildWatch = watchFor(MAX_SILENCE_MS);

const POLL_MS = 20;

/**
 * Holds this process at a point that a test has armed in a folder. Once per armed point: `<point>.arm` is renamed to
 * `<point>.hit`, which from then on holds our pid, and we wait until `<point>.go` is there.
 */
export async function holdAt(folder: string, point: string): Promise<void> {
  const hit = join(folder, `${point}.hit`);
  try {
    await rename(join(folder, `${point}.arm`), hit);
  } catch {
    return;
  }
  await writeFile(hit, String(process.pid));
  while (!(await isThere(join(folder, `${point}.go`)))) await delay(POLL_MS);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
