import { createHash } from 'node:crypto';
import type { LiveFile } from '../manifest/live-file.ts';
import {
  CALM_AFTER_RACES_MS,
  CALM_MS,
  MAX_BIN_BYTES,
  MAX_BIN_FILES,
  MAX_DELETED_SHARE,
  MAX_DELETES_OF_FILE,
  type MaintenanceRule,
  MIN_BIN_FILES,
  PRESSING_FILES,
  SMALL_SHARE,
} from './maintenance-rule.ts';

/** Live files of one partition that one rewrite puts together. */
export type Bin = {
  /** Equal for the bins of one partition, in every plan of the table. */
  readonly key: string;
  /** In the order of commits. */
  readonly files: readonly LiveFile[];
  readonly bytes: number;
  /** Rows that deletes have taken away, as far as manifests say. */
  readonly deletedRows: number;
};

/** Files that are worth a rewrite, and wait. */
export type WaitingBin = {
  readonly key: string;
  readonly files: number;
  readonly bytes: number;
  /** `calm`: the partition got a commit a moment ago. `races`: other commits were faster too often. */
  readonly why: 'calm' | 'races';
  /** Milliseconds since 1970. */
  readonly until: number;
};

export type PlannedBins = {
  readonly bins: readonly Bin[];
  readonly waiting: readonly WaitingBin[];
  readonly smallFiles: number;
  readonly deletedRows: number;
};

/** When the snapshots were made that the files came with. */
export type SnapshotTimes = {
  readonly byId: ReadonlyMap<bigint, number>;
  /** By sequence number. */
  readonly bySequence: ReadonlyMap<bigint, number>;
};

/** The bins of a table: per partition, small files of like size together, and files of which deletes took much. Pure. */
export function planBins(
  files: readonly LiveFile[],
  times: SnapshotTimes,
  rule: MaintenanceRule & { readonly targetBytes: number },
): PlannedBins {
  const shares = deletedRowsOf(files);
  const isSmall = (file: LiveFile): boolean => Number(file.sizeBytes) < rule.targetBytes * SMALL_SHARE;
  const bins: Bin[] = [];
  const waiting: WaitingBin[] = [];
  for (const [partition, all] of Map.groupBy(files, ({ partitionKey }) => partitionKey)) {
    const key = createHash('sha256').update(partition).digest('hex').slice(0, 16);
    const deleted = all.filter((file) => isWorn(file, shares.get(file) ?? 0));
    const small = all.filter((file) => isSmall(file) && !deleted.includes(file));
    const packed = pack(small, deleted, rule.targetBytes);
    if (packed.length === 0) continue;
    const wait = waitOf({ key, all, small }, times, rule);
    const made = packed.map((one) => binOf(key, one, shares));
    if (wait === undefined) bins.push(...made);
    else waiting.push({ key, files: packed.flat().length, bytes: sum(made.map(({ bytes }) => bytes)), ...wait });
  }
  return { bins, waiting, smallFiles: files.filter(isSmall).length, deletedRows: sum([...shares.values()]) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/**
 * Rows that deletes took from each file, as an estimate: a file of deletes over several files counts for each with its part. Deletes of
 * the file's own commit do not count: they are about files before it, and a rewrite would not end them.
 */
function deletedRowsOf(files: readonly LiveFile[]): Map<LiveFile, number> {
  const newer = (file: LiveFile) => file.deletes.filter((one) => one.sequenceNumber > file.sequenceNumber);
  const rowsOver = new Map<string, number>();
  for (const file of files) {
    for (const { location } of newer(file)) {
      rowsOver.set(location, (rowsOver.get(location) ?? 0) + Number(file.recordCount));
    }
  }
  return new Map(
    files.map((file) => {
      const rows = Number(file.recordCount);
      const gone = newer(file).map(
        ({ location, recordCount }) => (Number(recordCount) * rows) / Math.max(1, rowsOver.get(location) ?? 1),
      );
      return [file, Math.min(rows, sum(gone))];
    }),
  );
}

const isWorn = (file: LiveFile, deletedRows: number): boolean =>
  deletedRows > Number(file.recordCount) * MAX_DELETED_SHARE ||
  file.deletes.filter((one) => one.sequenceNumber > file.sequenceNumber).length > MAX_DELETES_OF_FILE;

/**
 * Small files from the smallest on: one that is larger than all before it together would be rewritten for their sake alone, so it
 * begins the next bin. Files that deletes have worn join them, or are bins of their own.
 */
function pack(small: readonly LiveFile[], worn: readonly LiveFile[], targetBytes: number): LiveFile[][] {
  const packed: LiveFile[][] = [];
  let bin: LiveFile[] = [];
  let bytes = 0;
  const close = (least: number): void => {
    if (bin.length >= least) packed.push(bin);
    [bin, bytes] = [[], 0];
  };
  for (const file of small.toSorted((a, b) => Number(a.sizeBytes - b.sizeBytes))) {
    const size = Number(file.sizeBytes);
    const isFull = bytes + size > MAX_BIN_BYTES || bin.length >= MAX_BIN_FILES;
    if (isFull || size > Math.max(bytes, targetBytes / 16)) close(MIN_BIN_FILES);
    bin.push(file);
    bytes += size;
  }
  // What is left of the small ones goes with worn files, which are rewritten in any case.
  if (worn.length === 0) close(MIN_BIN_FILES);
  for (const file of worn) {
    const size = Number(file.sizeBytes);
    if (bin.length > 0 && (bytes + size > MAX_BIN_BYTES || bin.length >= MAX_BIN_FILES)) {
      close(bin.some((one) => worn.includes(one)) ? 1 : MIN_BIN_FILES);
    }
    bin.push(file);
    bytes += size;
  }
  close(1);
  return packed;
}

function waitOf(
  { key, all, small }: { key: string; all: readonly LiveFile[]; small: readonly LiveFile[] },
  { byId, bySequence }: SnapshotTimes,
  { now, lost, atOnce }: MaintenanceRule,
): Pick<WaitingBin, 'why' | 'until'> | undefined {
  const moved = all.flatMap((file) => [
    byId.get(file.snapshotId) ?? 0,
    ...file.deletes.map((one) => bySequence.get(one.sequenceNumber) ?? 0),
  ]);
  const last = moved.reduce((latest, one) => Math.max(latest, one), 0);
  if (lost.has(key) && last + CALM_AFTER_RACES_MS > now) return { why: 'races', until: last + CALM_AFTER_RACES_MS };
  if (atOnce || small.length > PRESSING_FILES || last + CALM_MS <= now) return undefined;
  return { why: 'calm', until: last + CALM_MS };
}

function binOf(key: string, files: readonly LiveFile[], shares: ReadonlyMap<LiveFile, number>): Bin {
  const ordered = files.toSorted(
    (a, b) => Number(a.sequenceNumber - b.sequenceNumber) || (a.location < b.location ? -1 : 1),
  );
  return {
    key,
    files: ordered,
    bytes: sum(files.map(({ sizeBytes }) => Number(sizeBytes))),
    deletedRows: Math.round(sum(files.map((file) => shares.get(file) ?? 0))),
  };
}
