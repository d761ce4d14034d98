import type { TableMetadata } from '../metadata/metadata.ts';

/** When a table is due for maintenance. Sizes in bytes, times in milliseconds. */
export type MaintenanceRule = {
  readonly now: number;
  /** Size of data files that a rewrite aims at, where the table does not say. */
  readonly targetBytes: number;
  /** Milliseconds since 1970 from which on every snapshot is kept; nothing expires without it. */
  readonly keepSince: number | undefined;
  /** Newest snapshots that are kept whatever their age. */
  readonly keepAtLeast: number;
  /** Decimal ids of snapshots that a reader needs. */
  readonly held: ReadonlySet<string>;
  /** Keys of bins that lost too many races: they wait for a calm hour. */
  readonly lost: ReadonlySet<string>;
  /** A person asked for it: no calm moment is waited for, but by bins that lost races. */
  readonly atOnce?: boolean;
};

/** Iceberg's own property goes before the platform's default. */
const TARGET = 'write.target-file-size-bytes';
const MIB = 1024 * 1024;
const MIN_TARGET = MIB;
const MAX_TARGET = 4096 * MIB;

/** A file below this share of the target is small. */
export const SMALL_SHARE = 0.75;
/** Small files of one partition that are worth a rewrite. */
export const MIN_BIN_FILES = 5;
/** Share of deleted rows from which on a file is rewritten. */
export const MAX_DELETED_SHARE = 0.1;
/** Files of deletes over one file from which on it is rewritten. */
export const MAX_DELETES_OF_FILE = 10;
/** Bytes that one bin reads at most, unless a single file has more. */
export const MAX_BIN_BYTES = 256 * MIB;
/** Files that one bin reads at most. */
export const MAX_BIN_FILES = 2_000;
/** A partition is left alone for so long after a commit … */
export const CALM_MS = 5 * 60_000;
/** … unless it has more small files than this. */
export const PRESSING_FILES = 64;
/** A bin that lost races waits until its partition saw no commit for so long. */
export const CALM_AFTER_RACES_MS = 60 * 60_000;
/** Manifests from which on they are joined, unless they are of a good size. */
export const MAX_MANIFESTS = 40;
/** The size below which a manifest counts as small. */
export const SMALL_MANIFEST_BYTES = MIB;

/** The size of data files that a rewrite of the table aims at. */
export function targetBytesOf({ properties }: Pick<TableMetadata, 'properties'>, otherwise: number): number {
  const own = Number(properties[TARGET]);
  return Math.min(MAX_TARGET, Math.max(MIN_TARGET, Number.isSafeInteger(own) && own > 0 ? own : otherwise));
}
