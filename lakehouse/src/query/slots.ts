import type { ChildProcess } from 'node:child_process';
import { LakehouseError } from '../error/error.ts';

/** One place for a child; its child is started when it is first needed and again after it ended. */
export type Slot = { child: ChildProcess | undefined; busy: Lane | undefined };

/** A short read opens a few files and stops at its first rows; any other may take as long as it is let. */
export type Lane = 'short' | 'long';

type Waiting = { readonly lane: Lane; take(slot: Slot): void };

/** Requests that may wait for a slot; beyond it they are refused (`query_busy`). */
const MAX_WAITING = 64;

export type Slots = ReturnType<typeof createSlots>;

/**
 * The slots of a pool and the line of those that wait for one. Where there are several, long reads never hold the last,
 * so that a short one waits for short ones only.
 */
export function createSlots(size: number, waitMs: number) {
  const slots: Slot[] = Array.from({ length: size }, () => ({ child: undefined, busy: undefined }));
  const waiting: Waiting[] = [];
  const mayTake = (lane: Lane): boolean =>
    lane === 'short' || slots.filter(({ busy }) => busy === 'long').length < Math.max(1, size - 1);
  // A child that runs is taken before one that would have to be started.
  const free = (): Slot | undefined =>
    slots.find(({ busy, child }) => busy === undefined && child !== undefined) ??
    slots.find(({ busy }) => busy === undefined);
  return {
    slots,
    /** A free slot, at once or within the time that one may wait; the wait ends as `query_deadline` with the signal. */
    async acquire(lane: Lane, signal?: AbortSignal): Promise<Slot> {
      const left = new LakehouseError('query_deadline', 'The query is not waited for any more');
      if (signal?.aborted) throw left;
      const slot = mayTake(lane) ? free() : undefined;
      if (slot) {
        slot.busy = lane;
        return slot;
      }
      const busy = new LakehouseError('query_busy', 'Too many queries are waiting');
      if (waiting.length >= MAX_WAITING) throw busy;
      return new Promise((resolve, reject) => {
        const one: Waiting = {
          lane,
          take(found) {
            settle();
            resolve(found);
          },
        };
        const settle = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const leave = (error: LakehouseError) => {
          settle();
          waiting.splice(waiting.indexOf(one), 1);
          reject(error);
        };
        const onAbort = () => leave(left);
        const timer = setTimeout(() => leave(busy), waitMs);
        signal?.addEventListener('abort', onAbort);
        waiting.push(one);
      });
    },
    /** Gives a slot back, and on to whoever waits for it first. */
    release(slot: Slot): void {
      slot.busy = undefined;
      const at = waiting.findIndex(({ lane }) => mayTake(lane));
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) return;
      slot.busy = next.lane;
      next.take(slot);
    },
  };
}
