import { LakehouseError } from '../error/error.ts';
import type { LiveFile } from '../manifest/live-file.ts';
import type { Condition } from './condition.ts';
import { mayHold } from './prune.ts';

/** A place between two rows of a snapshot: behind row `row` of the file that is `file`-th in reading order. */
export type RowPosition = {
  readonly file: number;
  /** Counted from 0 in the file, in decimal digits. */
  readonly row: string;
};

/** Files to be read, in reading order; `file` is the place of each in the reading order of the whole snapshot. */
export type PlannedFile = Pick<LiveFile, 'location' | 'sequenceNumber' | 'partitionKey' | 'deletes'> & {
  readonly file: number;
};

export type ReadPlanRequest = {
  readonly limit: number;
  readonly conditions: readonly Condition[];
  readonly sorted: boolean;
  readonly after: RowPosition | undefined;
};

/** Rows that a sorted read may look at; the sort itself keeps only a page of them. */
export const MAX_SORTED_ROWS = 20_000_000n;
/** Files that one read may open. */
export const MAX_READ_FILES = 10_000;

/** The files of a snapshot in the order in which rows are read: largest first, so that a page opens few of them. */
export function readingOrder(files: readonly LiveFile[]): LiveFile[] {
  return files.toSorted((a, b) =>
    a.recordCount === b.recordCount ? (a.location < b.location ? -1 : 1) : a.recordCount > b.recordCount ? -1 : 1,
  );
}

/** Files of a snapshot as a read takes them, in this order. */
export function plannedFiles(files: readonly LiveFile[]): PlannedFile[] {
  return files.map(({ location, sequenceNumber, partitionKey, deletes }, file) => ({
    location,
    sequenceNumber,
    partitionKey,
    deletes,
    file,
  }));
}

/** Rows that are left of so many of a file at least, as far as counts tell. */
function remaining(rows: bigint, { deletes }: LiveFile): bigint {
  if (deletes.some(({ content }) => content === 'equality_deletes')) return 0n;
  const gone = deletes.reduce((sum, one) => sum + one.recordCount, 0n);
  return rows > gone ? rows - gone : 0n;
}

/**
 * The fewest files that hold the wanted rows, as far as record counts and statistics tell: behind the place to go on
 * from, a plain read needs only those whose rows reach `limit`; a filtered one all that may hold a fitting row; a sorted
 * one those of the whole snapshot. `query_too_large` when these are more than a read may look at.
 */
export function planRead(files: readonly LiveFile[], request: ReadPlanRequest): PlannedFile[] {
  const { limit, conditions, sorted, after } = request;
  const plain = conditions.length === 0 && !sorted;
  const planned: PlannedFile[] = [];
  const ordered = readingOrder(files);
  let rows = 0n;
  for (const [file, planning] of plannedFiles(ordered).entries()) {
    const live = ordered[file]!;
    if (plain && rows >= BigInt(limit)) break;
    const passed = !sorted && after !== undefined && file < after.file;
    if (passed || live.recordCount === 0n || !mayHold(live, conditions)) continue;
    const read = !sorted && after?.file === file ? BigInt(after.row) + 1n : 0n;
    if (read >= live.recordCount) continue;
    planned.push(planning);
    rows += sorted ? live.recordCount : remaining(live.recordCount - read, live);
  }
  if (planned.length > MAX_READ_FILES || (sorted && rows > MAX_SORTED_ROWS)) {
    throw new LakehouseError('query_too_large', 'The query would have to look at more of the table than it may');
  }
  return planned;
}
