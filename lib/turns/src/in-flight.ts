/** Longer than any statement may take. */
const DRAIN_MS = 20_000;

/** Work on connections that can be waited for before they are closed. */
export interface InFlight {
  /** Throws the refusal once `drain` was called. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs any more, or after a bounded time. */
  drain(): Promise<void>;
}

/** Keeps account of what runs: a pool that is closed under a query neither ends the query nor itself. */
export function inFlight(refusal: () => Error): InFlight {
  const running = new Set<Promise<unknown>>();
  let draining = false;
  return {
    async run(work) {
      if (draining) throw refusal();
      const task = work();
      running.add(task);
      return task.finally(() => running.delete(task));
    },
    async drain() {
      draining = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, DRAIN_MS);
      await Promise.race([Promise.allSettled(running), late]);
      clearTimeout(timer);
    },
  };
}
