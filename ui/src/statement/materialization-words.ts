import type { Materialization } from '@weir/plugin-transforms/contract';

/** What a run does with the rows of its table, in words. */
const WORDS: Readonly<Record<Materialization, string>> = {
  full: 'replaces all rows',
  append: 'adds rows',
  merge: 'replaces rows of the same key',
  partition_overwrite: 'replaces the partitions it has rows of',
};

export const kindOfOutput = (materialization: Materialization): string => WORDS[materialization];
