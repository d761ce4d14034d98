import { setTimeout as delay } from 'node:timers/promises';

/** Pause between two looks: short at first, then growing, since a look costs CPU too. */
const [FIRST_MS, GROWTH, LAST_MS] = [20, 1.3, 750];
/** Upper bound of the pause for a state that lasts only briefly. */
const OFTEN_MS = 100;

type Maybe<T> = T | undefined | false;

const awaited = new Set<string>();

/** What tests of this process wait for right now; the runner prints it when it ends a file that hangs. */
export const waitingFor = (): readonly string[] => [...awaited];

/** What a test can show of itself when it hangs, such as the page that it looks at. */
export const lastWords = new Set<() => Promise<string>>();

/**
 * Polls until `look` gives a value other than `undefined` and `false`, and resolves with it. It has no time limit: the
 * runner ends a file that makes no progress. `often` is for a state that lasts only briefly.
 */
export async function until<T>(what: string, look: () => Maybe<T> | Promise<Maybe<T>>, pace?: 'often'): Promise<T> {
  awaited.add(what);
  const longest = pace === 'often' ? OFTEN_MS : LAST_MS;
  try {
    for (let pause = FIRST_MS; ; pause = Math.min(pause * GROWTH, longest)) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      await delay(pause);
    }
  } finally {
    awaited.delete(what);
  }
}

/** Paces a fake that has to be slow, such as a source that trickles rows. A test never waits for an outcome with it. */
export const pace = (ms: number): Promise<void> => delay(ms);

/**
 * A limit that a test must not reach, in milliseconds: only a hang takes longer. It is shorter than the runner waits for
 * a line, so that a step that hangs is named.
 */
export const PATIENT_MS = 400_000;
/** A limit of the product that a test wants to see reached, in milliseconds. */
export const HASTY_MS = 300;
