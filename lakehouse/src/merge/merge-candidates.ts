import type { LiveFile } from '../manifest/live-file.ts';
import type { StagedFile } from '../manifest/stats.ts';
import { compareValues, isNanValue, promoteValue } from '../schema/single-value.ts';
import type { Field, PrimitiveType } from '../schema/types.ts';

/** Copy-on-write when at most this share of the files that may hold a key is touched. */
const COPIED_SHARE = 0.1;
/** A table with fewer bytes of data is small enough to write its touched files anew. */
const SMALL_TABLE_BYTES = 64n * 1024n * 1024n;

type Range = { readonly lower: Buffer; readonly upper: Buffer };

const boundOf = (figures: LiveFile['figures']['lower'], id: number): Buffer | undefined =>
  figures?.find((one) => one.key === id)?.value;

// Undefined when a file does not tell, for then every value is possible.
function batchRange(batch: readonly StagedFile[], { id, type }: Field): Range | undefined {
  const bounds = batch.map((file) => [file.lower_bounds[String(id)], file.upper_bounds[String(id)]] as const);
  let range: Range | undefined;
  for (const [low, high] of bounds) {
    if (low === undefined || high === undefined) return undefined;
    const [lower, upper] = [Buffer.from(low, 'base64'), Buffer.from(high, 'base64')];
    range = {
      lower: range && compareValues(type as PrimitiveType, range.lower, lower) < 0 ? range.lower : lower,
      upper: range && compareValues(type as PrimitiveType, range.upper, upper) > 0 ? range.upper : upper,
    };
  }
  return range;
}

function overlaps(file: LiveFile, { id, type }: Field, range: Range): boolean {
  const primitive = type as PrimitiveType;
  const [low, high] = [boundOf(file.figures.lower, id), boundOf(file.figures.upper, id)];
  if (low === undefined || high === undefined) return true;
  const [lower, upper] = [promoteValue(primitive, low), promoteValue(primitive, high)];
  if ([lower, upper, range.lower, range.upper].some((value) => isNanValue(primitive, value))) return true;
  return compareValues(primitive, lower, range.upper) <= 0 && compareValues(primitive, upper, range.lower) >= 0;
}

/** The live files that may hold rows of some files, by the bounds of `field`; all of them where rows may have no name. */
export function replacedCandidates(
  live: readonly LiveFile[],
  files: readonly (string | null)[],
  { id }: Pick<Field, 'id'>,
): LiveFile[] {
  if (files.includes(null)) return [...live];
  const names = files
    .filter((name) => name !== null)
    .map((name) => Buffer.from(name))
    .toSorted(Buffer.compare);
  return live.filter(({ figures }) => {
    const [lower, upper] = [boundOf(figures.lower, id), boundOf(figures.upper, id)];
    if (lower === undefined || upper === undefined) return true;
    const first = names.find((name) => Buffer.compare(name, lower) >= 0);
    return first !== undefined && Buffer.compare(first, upper) <= 0;
  });
}

/** The live files that may hold a key of the batch, as far as bounds tell. */
export function mergeCandidates(
  live: readonly LiveFile[],
  batch: readonly StagedFile[],
  key: readonly Field[],
): LiveFile[] {
  const ranges = key.map((field) => ({ field, range: batchRange(batch, field) }));
  return live.filter((file) => ranges.every(({ field, range }) => !range || overlaps(file, field, range)));
}

/**
 * Whether touched files are written anew rather than given position deletes: they are few among the candidates, or the
 * table is small.
 */
export function isCopied(live: readonly LiveFile[], candidates: number, touched: number): boolean {
  const bytes = live.reduce((sum, file) => sum + file.sizeBytes, 0n);
  return bytes < SMALL_TABLE_BYTES || touched <= candidates * COPIED_SHARE;
}
