/** Work that is repeated until it is stopped. */
export interface Repetition {
  /** Starts a round at once, or joins the running one; resolves at its end, failed or not. */
  now(): Promise<void>;
  /** Starts no further round, and waits for the running one. */
  stop(): Promise<void>;
}

/** Share by which a pause may be shorter, so that processes that start together do not work together. */
const JITTER = 0.2;

/**
 * Repeats `work` at most every `everyMs` milliseconds, the first time after one such pause; rounds never overlap. An error
 * goes to `failed` and does not end the repetition. Does not keep the process alive.
 */
export function repeat(everyMs: number, work: () => Promise<unknown>, failed: (error: unknown) => void): Repetition {
  let running: Promise<void> | undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const now = () => {
    running ??= work()
      .then(() => undefined, failed)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const pause = () => {
    if (isStopped) return;
    timer = setTimeout(() => void now().then(pause), everyMs * (1 - JITTER * Math.random())).unref();
  };
  pause();
  return {
    now,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
