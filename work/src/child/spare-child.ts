import type { Socket } from 'node:net';
import type { BegunChild } from './begin-child.ts';

/** Gives attempts their processes, and has the next one load its code before anybody waits for it. */
export interface SpareChild {
  /**
   * The process of an attempt: one that was kept for this owner, the one that waits, or one that begins now. No other attempt has it.
   * Where one begins, one that was kept for another owner ends.
   */
  take(owner?: string): BegunChild;
  /** Has a process wait for the next attempt of its owner, for a short time. */
  keep(child: BegunChild, owner: string): void;
  /** Has one wait, if none does: when the process of an attempt is gone, whose place it takes. */
  refill(): void;
  /** Ends all that wait. Resolves when they are gone: a process of another kind may take their place then. */
  drop(): Promise<void>;
}

/** How long a process is kept for its owner. */
const KEPT_MS = 5_000;

/**
 * At most one new process waits, and only where one has ended before; one that is kept waits in the place of the attempt that it
 * served. So there are never more of them than attempts that may run at once.
 */
export function spareChild(begin: () => BegunChild, keptMs: number = KEPT_MS): SpareChild {
  let spare: BegunChild | undefined;
  const kept = new Map<BegunChild, { owner: string; timer: NodeJS.Timeout }>();
  const taken = (): BegunChild | undefined => {
    const waiting = spare;
    spare = undefined;
    return waiting;
  };
  const takeKept = (isWanted: (owner: string) => boolean): BegunChild | undefined => {
    const [child, { timer } = {}] = [...kept].find(([, { owner }]) => isWanted(owner)) ?? [];
    clearTimeout(timer);
    if (child !== undefined) kept.delete(child);
    return child;
  };
  const end = async (child: BegunChild | undefined): Promise<void> => {
    if (child === undefined) return;
    // This process has to live to see that end.
    hold(child, 'ref');
    await child.discard();
  };
  return {
    take(owner) {
      let child = (owner === undefined ? undefined : takeKept((one) => one === owner)) ?? taken();
      if (child === undefined) {
        void end(takeKept(() => true));
        child = begin();
      }
      hold(child, 'ref');
      return child;
    },
    keep(child, owner) {
      hold(child, 'unref');
      const timer = setTimeout(() => {
        kept.delete(child);
        void child.discard();
      }, keptMs).unref();
      kept.set(child, { owner, timer });
      void child.gone.then(() => {
        clearTimeout(timer);
        kept.delete(child);
      });
    },
    refill() {
      if (spare !== undefined || kept.size > 0) return;
      const begun = begin();
      spare = begun;
      hold(begun, 'unref');
      // If the idle process dies, forget it.
      void begun.gone.then(() => {
        if (spare === begun) spare = undefined;
      });
    },
    async drop() {
      const waiting = [taken()];
      while (kept.size > 0) waiting.push(takeKept(() => true));
      await Promise.all(waiting.map(end));
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
