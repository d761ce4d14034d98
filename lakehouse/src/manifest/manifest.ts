import { decodeAvroFile } from '../avro/avro-decode.ts';
import type { AvroNode, AvroRecord, AvroSchema, AvroValue } from '../avro/avro-schema.ts';
import type { Snapshot } from '../metadata/metadata.ts';
import { type Partition, partitionFromAvro } from '../partition/partition-avro.ts';
import type { PartitionValues } from '../partition/partition-spec.ts';
import type { TableFiles } from '../store/table-files.ts';
import { MANIFEST_FILE, manifestEntry } from './manifest-schema.ts';
import type { ColumnFigures, StagedFile } from './stats.ts';

/** What a file holds: rows, or positions of deleted rows, or keys of deleted rows. */
export const CONTENT = { data: 0, positionDeletes: 1, equalityDeletes: 2 } as const;
/** What a manifest says of a file. */
export const STATUS = { existing: 0, added: 1, deleted: 2 } as const;
/** What a manifest lists. */
export const MANIFEST_CONTENT = { data: 0, deletes: 1 } as const;

/** What a manifest list says of the values of one partition field in a manifest; bounds in the single-value encoding. */
export type PartitionSummary = AvroRecord & {
  contains_null: boolean;
  contains_nan: boolean | null;
  lower_bound: Buffer | null;
  upper_bound: Buffer | null;
};
const COUNTS = [
  'added_files_count',
  'existing_files_count',
  'deleted_files_count',
  'added_rows_count',
  'existing_rows_count',
  'deleted_rows_count',
] as const;

/** A row of a manifest list, as the format names it. Counts are null where an old writer gave none. */
export type ManifestFile = AvroRecord & {
  manifest_path: string;
  manifest_length: bigint;
  partition_spec_id: number;
  content: number;
  sequence_number: bigint;
  min_sequence_number: bigint;
  added_snapshot_id: bigint;
  partitions: PartitionSummary[] | null;
};
/** Figures of the columns of a file, by field id. */
export type ColumnMap<V extends AvroValue> = readonly { readonly key: number; readonly value: V }[] | null;
/** A file in a manifest, as the format names it; its partition goes by field ids, in the single-value encoding. */
export type DataFile = Omit<AvroRecord, 'partition'> & {
  content: number;
  file_path: string;
  file_format: string;
  partition: Partition;
  record_count: bigint;
  file_size_in_bytes: bigint;
};
/** A row of a manifest with its inherited snapshot id and sequence numbers filled in. */
export type ManifestEntry = {
  status: number;
  snapshot_id: bigint | null;
  sequence_number: bigint | null;
  file_sequence_number: bigint | null;
  data_file: DataFile;
};

function pairs(figures: ColumnFigures, value: (text: string) => AvroValue): AvroRecord[] {
  return Object.entries(figures).map(([id, text]) => ({ key: Number(id), value: value(text) }));
}

/** The values of a partition out of their base64 form. */
export function toPartition(values: PartitionValues): Partition {
  return Object.fromEntries(
    Object.entries(values).map(([id, text]) => [id, text === null ? null : Buffer.from(text, 'base64')]),
  );
}

/** The manifest's form of a staged file. */
export function toDataFile(file: StagedFile): DataFile {
  const bound = (text: string): Buffer => Buffer.from(text, 'base64');
  return {
    content: file.content === 'position_deletes' ? CONTENT.positionDeletes : CONTENT.data,
    file_path: file.location,
    file_format: 'PARQUET',
    partition: toPartition(file.partition ?? {}),
    record_count: BigInt(file.record_count),
    file_size_in_bytes: BigInt(file.file_size_in_bytes),
    column_sizes: pairs(file.column_sizes, BigInt),
    value_counts: pairs(file.value_counts, BigInt),
    null_value_counts: pairs(file.null_value_counts, BigInt),
    nan_value_counts: file.nan_value_counts ? pairs(file.nan_value_counts, BigInt) : null,
    lower_bounds: pairs(file.lower_bounds, bound),
    upper_bounds: pairs(file.upper_bounds, bound),
    key_metadata: null,
    split_offsets: null,
    equality_ids: null,
    sort_order_id: null,
    referenced_data_file: file.referenced_data_file ?? null,
  };
}

const EXPECTED_ENTRY = manifestEntry({ type: 'record', name: 'r102', fields: [] });

const recordIn = (schema: AvroSchema): AvroNode =>
  (Array.isArray(schema) ? schema.find((branch) => branch !== 'null') : schema) as AvroNode;

const fieldIn = (record: AvroSchema, name: string): AvroSchema =>
  recordIn(record).fields?.find((field) => field.name === name)?.type ?? { type: 'record', fields: [] };

/** Reads a manifest list of a table; the newest manifests come first. What format version 1 does not say is what it meant. */
export async function readManifestList(io: TableFiles, location: string): Promise<ManifestFile[]> {
  const { rows } = decodeAvroFile(await io.read(location), MANIFEST_FILE);
  for (const row of rows) io.assertInside(String(row.manifest_path));
  return rows.map((row) => ({
    ...row,
    partition_spec_id: Number(row.partition_spec_id ?? 0),
    content: Number(row.content ?? MANIFEST_CONTENT.data),
    sequence_number: (row.sequence_number ?? 0n) as bigint,
    min_sequence_number: (row.min_sequence_number ?? 0n) as bigint,
  })) as ManifestFile[];
}

/** Whether a manifest list says how many files and rows a manifest has; format version 1 need not. */
function hasCounts(manifest: ManifestFile): boolean {
  return COUNTS.every((name) => typeof manifest[name] === 'number' || typeof manifest[name] === 'bigint');
}

/**
 * The manifests of a snapshot, the newest first, all with their counts. A snapshot of format version 1 may name its
 * manifests itself instead of a list.
 */
export async function snapshotManifests(io: TableFiles, snapshot: Snapshot): Promise<ManifestFile[]> {
  const listed =
    snapshot['manifest-list'] === undefined
      ? await Promise.all((snapshot.manifests ?? []).map((location) => bareManifest(io, location, snapshot)))
      : await readManifestList(io, snapshot['manifest-list']);
  return Promise.all(
    listed.map(async (manifest) =>
      hasCounts(manifest) ? manifest : { ...manifest, ...manifestCounts(await readManifest(io, manifest)) },
    ),
  );
}

async function bareManifest(io: TableFiles, location: string, snapshot: Snapshot): Promise<ManifestFile> {
  const bytes = await io.read(location);
  const { metadata } = decodeAvroFile(bytes);
  return {
    manifest_path: location,
    manifest_length: BigInt(bytes.length),
    partition_spec_id: Number(metadata['partition-spec-id'] ?? 0),
    content: MANIFEST_CONTENT.data,
    sequence_number: 0n,
    min_sequence_number: 0n,
    added_snapshot_id: snapshot['snapshot-id'],
    partitions: null,
    key_metadata: null,
  };
}

/** Files and rows of the entries of a status. */
function countStatus(entries: readonly ManifestEntry[], status: number): { files: number; rows: bigint } {
  const of = entries.filter((entry) => entry.status === status);
  return { files: of.length, rows: of.reduce((sum, entry) => sum + entry.data_file.record_count, 0n) };
}

/** The counts that a manifest list gives of a manifest's entries. */
export function manifestCounts(entries: readonly ManifestEntry[]): AvroRecord {
  const [added, existing, deleted] = [STATUS.added, STATUS.existing, STATUS.deleted].map((status) =>
    countStatus(entries, status),
  );
  return {
    added_files_count: added!.files,
    existing_files_count: existing!.files,
    deleted_files_count: deleted!.files,
    added_rows_count: added!.rows,
    existing_rows_count: existing!.rows,
    deleted_rows_count: deleted!.rows,
  };
}

/** Reads a manifest; entries without snapshot id or sequence numbers take those of the manifest. */
export async function readManifest(io: TableFiles, manifest: ManifestFile): Promise<ManifestEntry[]> {
  const { rows, schema } = decodeAvroFile(await io.read(manifest.manifest_path), EXPECTED_ENTRY);
  const partition = recordIn(fieldIn(fieldIn(schema, 'data_file'), 'partition')).fields ?? [];
  return rows.map((row): ManifestEntry => {
    const file = row.data_file as AvroRecord;
    // What a commit took out of the table is not read any more, wherever it was.
    if (row.status !== STATUS.deleted) io.assertInside(String(file.file_path));
    // Only files that the manifest's own commit added inherit; format version 1 knows no sequence numbers at all.
    const inherited = row.status === STATUS.added ? manifest.sequence_number : 0n;
    return {
      status: row.status as number,
      snapshot_id: (row.snapshot_id ?? manifest.added_snapshot_id) as bigint,
      sequence_number: (row.sequence_number ?? inherited) as bigint,
      file_sequence_number: (row.file_sequence_number ?? inherited) as bigint,
      data_file: {
        ...file,
        content: Number(file.content ?? CONTENT.data),
        partition: partitionFromAvro(partition, (file.partition ?? {}) as AvroRecord),
      } as DataFile,
    };
  });
}
