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

/** Listens for the pulse of another process. */
export interface PulseWatch {
  heard(): void;
  end(): void;
}

/**
 * Calls `onSilent` once when nothing was heard for so long. Time is counted by looks of our own, so that a process which stood
 * still itself, or was not given the processor, blames nobody else for it. The bound is asked for at every look.
 */
export function watchPulse(onSilent: () => void, maxSilenceMs = () => MAX_SILENCE_MS): PulseWatch {
  let silent = 0;
  const timer = setInterval(() => {
    silent += PULSE_EVERY_MS;
    if (silent < maxSilenceMs()) return;
    clearInterval(timer);
    onSilent();
  }, PULSE_EVERY_MS);
  return {
    heard() {
      silent = 0;
    },
    end: () => clearInterval(timer),
  };
}
