/** A number in [0, 1) and the seed of the next one. */
export interface Draw {
  readonly value: number;
  readonly seed: number;
}

/** Draws a number from a seed of 32 bits; equal seeds give equal numbers. Mulberry32 by T. Ettinger, public domain. */
export function draw(seed: number): Draw {
  const next = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32, seed: next };
}
