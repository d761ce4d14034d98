import type { Socket } from 'node:net';
import type { BegunChild } from './begin-child.ts';

/** Gives attempts their processes, and has the next one load its code before anybody waits for it. */
export interface SpareChild {
  /** The process of an attempt: the one that waits, or one that begins now. It is nobody else's. */
  take(): BegunChild;
  /** Has one wait, if none does: when the process of an attempt is gone, whose place it takes. */
  refill(): void;
  /** Ends the one that waits. Resolves when it is gone: a process of another kind may take its place then. */
  drop(): Promise<void>;
}

/**
 * At most one process waits, and only where one has ended before: there are never more of them than attempts that may run
 * at once. None that has carried out an attempt is used again.
 */
export function spareChild(begin: () => BegunChild): SpareChild {
  let spare: BegunChild | undefined;
  const taken = (): BegunChild | undefined => {
    const waiting = spare;
    spare = undefined;
    return waiting;
  };
  return {
    take() {
      const child = taken() ?? begin();
      hold(child, 'ref');
      return child;
    },
    refill() {
      if (spare !== undefined) return;
      const begun = begin();
      spare = begun;
      hold(begun, 'unref');
      // If the idle process dies, forget it.
      void begun.gone.then(() => {
        if (spare === begun) spare = undefined;
      });
    },
    async drop() {
      const waiting = taken();
      if (waiting === undefined) return;
      // Whoever waits for its end has to live to see it.
      hold(waiting, 'ref');
      await waiting.discard();
    },
  };
}

/** Does the work of an attempt with a process of its own, which has ended by then; the next one begins to load its code. */
export async function withChild<R>(
  spare: Pick<SpareChild, 'take' | 'refill'>,
  work: (child: BegunChild) => Promise<R>,
): Promise<R> {
  const begun = spare.take();
  try {
    return await work(begun);
  } finally {
    await begun.discard();
    spare.refill();
  }
}

/** Whether this process goes on for as long as that one does: one that waits ends with us. */
function hold({ process: child }: BegunChild, how: 'ref' | 'unref'): void {
  child[how]();
  child.channel?.[how]();
  // Within bounds it has a pipe by which it says its number.
  (child.stdout as Socket | null)?.[how]();
}
