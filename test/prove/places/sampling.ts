import { pace, until } from '../../until.ts';

/** Milliseconds between two rounds. */
const BETWEEN_ROUNDS = 200;

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
      let isOver = false;
      const watching = (async () => {
        while (!isOver) {
          begun += 1;
          await sample();
          ended = begun;
          await pace(BETWEEN_ROUNDS);
        }
      })();
      return async () => {
        isOver = true;
        await watching;
      };
    },
    async seen() {
      const before = begun;
      await until('a look at all that is there', () => ended > before);
    },
  };
}
