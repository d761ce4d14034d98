/** Work that is done again and again until it is stopped. */
export interface Repetition {
  /** Does it at once, or joins the round that is going on; resolves at the end of that round, failed or not. */
  now(): Promise<void>;
  /** Begins no other round, and waits for the one that is going on. */
  stop(): Promise<void>;
}

/**
 * Does `work` every `everyMs` milliseconds, first when they have passed. A round that still goes on is not doubled; what it
 * throws is told to `failed`, and the next round comes all the same. Keeps no process alive.
 */
export function repeat(everyMs: number, work: () => Promise<unknown>, failed: (error: unknown) => void): Repetition {
  let running: Promise<void> | undefined;
  const now = () => {
    running ??= work()
      .then(() => undefined, failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = setInterval(now, everyMs).unref();
  return {
    now,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
