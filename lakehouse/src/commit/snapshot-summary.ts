import { CONTENT, type DataFile, type ManifestEntry, readManifest, STATUS } from '../manifest/manifest.ts';
import type { SnapshotDraft } from './snapshot-draft.ts';

/** What a table holds, as the totals of a snapshot's summary say it. */
export type Totals = Readonly<Record<TotalKey, bigint>>;
type TotalKey = (typeof TOTAL_KEYS)[number];

const TOTAL_KEYS = [
  'total-data-files',
  'total-delete-files',
  'total-records',
  'total-files-size',
  'total-position-deletes',
  'total-equality-deletes',
] as const;

/** A file of a commit and the spec that it lies under. */
export type PlacedDataFile = { readonly specId: number; readonly file: DataFile };

/** What a commit adds and removes, and what the table held before. */
export type SnapshotChange = {
  readonly added: readonly PlacedDataFile[];
  readonly removed: readonly PlacedDataFile[];
  readonly previous: Totals;
};

const sum = (files: readonly DataFile[], of: (file: DataFile) => bigint): bigint =>
  files.reduce((all, file) => all + of(file), 0n);

/** Files of a commit by what they hold, in the figures that a summary has of them. */
function figures(placed: readonly PlacedDataFile[]) {
  const files = placed.map(({ file }) => file);
  const of = (content: number): DataFile[] => files.filter((file) => file.content === content);
  const [data, positions, equalities] = [of(CONTENT.data), of(CONTENT.positionDeletes), of(CONTENT.equalityDeletes)];
  return {
    dataFiles: BigInt(data.length),
    records: sum(data, (file) => file.record_count),
    deleteFiles: BigInt(positions.length + equalities.length),
    positionFiles: BigInt(positions.length),
    positions: sum(positions, (file) => file.record_count),
    equalityFiles: BigInt(equalities.length),
    equalities: sum(equalities, (file) => file.record_count),
    size: sum(files, (file) => file.file_size_in_bytes),
  };
}

function totalsAfter(previous: Totals, added: ReturnType<typeof figures>, gone: ReturnType<typeof figures>): Totals {
  return {
    'total-data-files': previous['total-data-files'] + added.dataFiles - gone.dataFiles,
    'total-delete-files': previous['total-delete-files'] + added.deleteFiles - gone.deleteFiles,
    'total-records': previous['total-records'] + added.records - gone.records,
    'total-files-size': previous['total-files-size'] + added.size - gone.size,
    'total-position-deletes': previous['total-position-deletes'] + added.positions - gone.positions,
    'total-equality-deletes': previous['total-equality-deletes'] + added.equalities - gone.equalities,
  };
}

const NOTHING: Totals = {
  'total-data-files': 0n,
  'total-delete-files': 0n,
  'total-records': 0n,
  'total-files-size': 0n,
  'total-position-deletes': 0n,
  'total-equality-deletes': 0n,
};

/** What the newest snapshot holds: as its summary says, or counted in the manifests where the summary does not. */
export async function totalsOf({ io, parent, current }: SnapshotDraft): Promise<Totals> {
  if (!parent) return NOTHING;
  const stated = TOTAL_KEYS.map((key) => [key, parent.summary?.[key]] as const);
  if (stated.every(([, text]) => text !== undefined && /^\d+$/.test(text))) {
    return Object.fromEntries(stated.map(([key, text]) => [key, BigInt(text!)])) as Totals;
  }
  const live: PlacedDataFile[] = [];
  for (const manifest of current) {
    const entries: readonly ManifestEntry[] = await readManifest(io, manifest);
    for (const entry of entries) {
      if (entry.status !== STATUS.deleted) live.push({ specId: manifest.partition_spec_id, file: entry.data_file });
    }
  }
  return totalsAfter(NOTHING, figures(live), figures([]));
}

/** A partition as a text that is equal for equal partitions. */
export function partitionText({ specId, file }: PlacedDataFile): string {
  const values = Object.entries(file.partition).map(([id, value]) => [id, value?.toString('hex') ?? null]);
  return JSON.stringify([specId, values]);
}

/** The standard counters of a snapshot's summary, with the names that the specification lists; those of 0 only as totals. */
export function snapshotSummary(
  operation: string,
  { added, removed, previous }: SnapshotChange,
): Record<string, string> {
  const [came, went] = [figures(added), figures(removed)];
  const counts: Record<string, bigint> = {
    'added-data-files': came.dataFiles,
    'added-records': came.records,
    'added-delete-files': came.deleteFiles,
    'added-position-delete-files': came.positionFiles,
    'added-position-deletes': came.positions,
    'added-equality-delete-files': came.equalityFiles,
    'added-equality-deletes': came.equalities,
    'added-files-size': came.size,
    'deleted-data-files': went.dataFiles,
    'deleted-records': went.records,
    'removed-delete-files': went.deleteFiles,
    'removed-position-delete-files': went.positionFiles,
    'removed-position-deletes': went.positions,
    'removed-equality-delete-files': went.equalityFiles,
    'removed-equality-deletes': went.equalities,
    'removed-files-size': went.size,
    'changed-partition-count': BigInt(new Set([...added, ...removed].map(partitionText)).size),
  };
  const totals = totalsAfter(previous, came, went);
  return {
    operation,
    ...Object.fromEntries(
      Object.entries(counts)
        .filter(([, count]) => count > 0n)
        .map(([key, count]) => [key, String(count)]),
    ),
    ...Object.fromEntries(Object.entries(totals).map(([key, total]) => [key, String(total)])),
  };
}
