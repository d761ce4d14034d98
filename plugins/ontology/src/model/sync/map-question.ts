import type { PinnedRows } from '@weir/plugin-datasets/stage';
import type { Mapping } from './mapping.ts';

/** What the process of a mapping is asked: to write the entities of some rows, in the order of their keys. */
export interface MapQuestion {
  mapping: Mapping;
  rows: PinnedRows;
  /** Local paths of the files of the rows, by location: the process has no store. */
  paths: ReadonlyMap<string, string>;
  /** A folder of the process alone. */
  scratch: string;
  /** Where the lines go, below the folder. */
  lines: string;
  memoryLimit: string;
  threads: number;
  deadlineMs: number;
}

/** What it answers. Keys are digests: no value of a row is in it. */
export interface MapAnswer {
  read: number;
  /** Rows without a key. */
  nulls: number;
  /** Keys that several rows have, and the first of them. */
  doubled: { keys: number; hashes: readonly string[] };
}

/** Codes of the process, beside those of the lakehouse. */
export type MapCode = 'mapping_refused' | 'mapping_volatile' | 'mapping_failed';
