import type { LaneName } from './lanes.ts';

/** The variable that names the soak lane of a run; unset in `npm test`. */
export const LANE_VARIABLE = 'WEIR_TEST_LANE';
/** `npm test` tries so many of the cases that the properties lane tries. */
const PROPERTY_SHARE = 0.1;
const MIN_CASES = 10;

/** Whether this run is the soak lane of that name. */
export const inLane = (name: LaneName): boolean => process.env[LANE_VARIABLE] === name;

/**
 * The cases of a law for this run: all in its lane, else every n-th one so that about `few` remain, spread evenly and
 * the same in every run.
 */
export function sample<T>(name: LaneName, all: readonly T[], few: number): readonly T[] {
  if (inLane(name) || all.length <= few) return all;
  return Array.from({ length: few }, (_, at) => all[Math.floor((at * all.length) / few)] as T);
}

/** How many cases a property test tries: `full` in the properties lane, a tenth otherwise and at least ten. */
export const cases = (full: number): number =>
  inLane('properties') ? full : Math.min(full, Math.max(MIN_CASES, Math.ceil(full * PROPERTY_SHARE)));
