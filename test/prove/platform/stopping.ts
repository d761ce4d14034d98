/** What must be undone at the end. */
export interface Stopping {
  /** Undone in reverse order. */
  finally(work: () => unknown): void;
  /** Undone when all else is. */
  last(work: () => unknown): void;
  /** Undoes everything; the first failure is thrown when all has been tried. */
  stop(): Promise<void>;
}

/** Begins with nothing to undo. */
export function stopping(): Stopping {
  const works: (() => unknown)[] = [];
  const lasts: (() => unknown)[] = [];
  return {
    finally: (work) => void works.push(work),
    last: (work) => void lasts.push(work),
    async stop() {
      const faults: unknown[] = [];
      for (const work of [...works.splice(0).toReversed(), ...lasts.splice(0)])
        await Promise.resolve()
          .then(work)
          .catch((fault: unknown) => faults.push(fault));
      if (faults.length > 0) throw faults[0];
    },
  };
}
