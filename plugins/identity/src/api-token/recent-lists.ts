import { setTimeout } from 'node:timers/promises';

/** Lists that are remembered at once. */
const MAX_LISTS = 500;

/** Lists of things by id, as they were read a moment ago. */
export interface RecentLists<T> {
  /** What a list has under an id; undefined when it has nothing there now. Rejects when the list cannot be read. */
  find(list: string, id: string): Promise<T | undefined>;
  /** What was read of a list is not what holds any more. */
  forget(list: string): void;
}

interface Lookup<T> {
  /** Reads a whole list. */
  read(list: string): Promise<ReadonlyMap<string, T>>;
  /** How old a list may be in which a thing was found, in milliseconds. */
  rememberedMs: number;
  /** A list in which a thing was not found is not read again sooner than this. */
  gapMs: number;
  now(): number;
}

interface Reading<T> {
  at: number;
  found: Promise<ReadonlyMap<string, T>>;
}

/**
 * Keeps whole lists, and nothing of what is not in them: however many ids are guessed, none takes the place of one that
 * there is, and all who ask for an unknown one wait for the same next reading. A thing that another process has made is
 * found by its first use, at most one gap later.
 */
export function recentLists<T>({ read, rememberedMs, gapMs, now }: Lookup<T>): RecentLists<T> {
  const readings = new Map<string, Reading<T>>();
  const next = new Map<string, Promise<Reading<T>>>();
  const begin = (list: string): Reading<T> => {
    const reading = { at: now(), found: read(list) };
    readings.delete(list);
    const [oldest] = readings.keys();
    if (readings.size >= MAX_LISTS && oldest !== undefined) readings.delete(oldest);
    readings.set(list, reading);
    reading.found.catch(() => readings.get(list) === reading && readings.delete(list));
    return reading;
  };
  const waited = async (list: string, waitMs: number): Promise<Reading<T>> => {
    await setTimeout(waitMs);
    next.delete(list);
    return begin(list);
  };
  /** A reading that has not begun yet. */
  const later = (list: string): Promise<Reading<T>> => {
    const waitMs = gapMs - (now() - (readings.get(list)?.at ?? Number.NEGATIVE_INFINITY));
    if (waitMs <= 0) return Promise.resolve(begin(list));
    const work = next.get(list) ?? waited(list, waitMs);
    next.set(list, work);
    return work;
  };
  return {
    async find(list, id) {
      const recent = readings.get(list);
      const isFresh = recent !== undefined && now() - recent.at < rememberedMs;
      const known = isFresh ? (await recent.found).get(id) : undefined;
      return known ?? (await (await later(list)).found).get(id);
    },
    forget: (list) => void readings.delete(list),
  };
}
