import type { BegunChild, SpareChild } from '@weir/work';
import type { SelectAsk } from '../../model/select/messages.ts';
import type { SelectAnswer } from './select-process.ts';

/** Whose a process is, and what it is to begin with. */
export interface WorkOwner {
  /** Work of the same owner, which is of one tenant, follows in the process. Without an owner it ends with the work. */
  owner?: string | undefined;
  /** Whether work of the owner is to come. */
  hasMore?: boolean;
  /** Statements that this work and later work of the owner run after others; the process begins their threads before all. */
  runs?: number;
}

/** Kinds of questions that need threads. A process whose statements have begun gets no more of them. */
const RUNS: readonly SelectAsk['kind'][] = ['run', 'merge', 'rows'];

/** The statements that processes can still run, by their processes. */
export type RunsLeft = WeakMap<BegunChild, number>;

/** The process that answers a piece of work: taken with its first question, and another one once it can run no more. */
export function workProcess(
  { spare, left }: { spare: SpareChild; left: RunsLeft },
  { owner, hasMore = false, runs = 0, most }: WorkOwner & { most: number },
) {
  const reserve = Math.min(most, runs);
  let begun: BegunChild | undefined;
  let isSound = true;
  const other = async (): Promise<BegunChild> => {
    await begun?.discard();
    begun = spare.take();
    return begun;
  };
  return {
    reserve,
    async answer(kind: SelectAsk['kind'], ask: (child: BegunChild) => Promise<SelectAnswer>): Promise<unknown> {
      const isRun = RUNS.includes(kind);
      begun ??= spare.take(owner);
      const child = !isSound || (isRun && left.get(begun) === 0) ? await other() : begun;
      const rest = left.get(child) ?? Math.max(1, reserve);
      left.set(child, isRun ? rest - 1 : rest);
      isSound = false;
      const { result, isFresh } = await ask(child);
      isSound = isFresh;
      return result;
    },
    /** Ends the process, or keeps it for its owner; another one takes its place unless it is the last. */
    async end(isLast: boolean): Promise<void> {
      if (begun === undefined) return;
      const isKept = !isLast && isSound && hasMore && owner !== undefined && left.get(begun) !== 0;
      if (isKept) spare.keep(begun, owner);
      else await begun.discard();
      if (!isLast) spare.refill();
    },
  };
}
