import { draw } from '../../src/index.ts';

/** Everything that is random in a simulated world, from one seed. */
export interface Chance {
  /** True with the given probability. */
  happens(probability: number): boolean;
  /** A whole number from 0 to below `bound`. */
  below(bound: number): number;
  pick<T>(from: readonly T[]): T;
}

export function chanceOf(start: number): Chance {
  let seed = start;
  const next = (): number => {
    const drawn = draw(seed);
    seed = drawn.seed;
    return drawn.value;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    happens: (probability) => next() < probability,
    below,
    pick<T>(from: readonly T[]): T {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}
