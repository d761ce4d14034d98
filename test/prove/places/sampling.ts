import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../until.ts';

const SAMPLE_MS = 200;

/** Looks at what comes and goes, in rounds, five times a second or as often as the machine can. */
export interface Sampling {
  /** Begins to look; the answer ends it. */
  start(sample: () => Promise<void>): () => Promise<void>;
  /** Resolves when all that is there now has been looked at: after a round that began later. */
  seen(): Promise<void>;
}

/** One place's rounds. */
export function sampling(): Sampling {
  let [begun, ended] = [0, 0];
  return {
    start(sample) {
      const ending = new AbortController();
      const watching = (async () => {
        while (!ending.signal.aborted) {
          begun += 1;
          await sample();
          ended = begun;
          await delay(SAMPLE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
        }
      })();
      return async () => {
        ending.abort();
        await watching;
      };
    },
    async seen() {
      const before = begun;
      await until('a look at all that is there', () => ended > before);
    },
  };
}
