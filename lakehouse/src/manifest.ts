import { type AvroRecord, type AvroValue, decodeAvroFile, encodeAvroFile } from './avro.ts';
import type { FileIO } from './fileio.ts';
import { MANIFEST_ENTRY, MANIFEST_FILE } from './manifest-schema.ts';
import { stringifyExact } from './metadata.ts';
import type { ColumnFigures, StagedFile } from './stats.ts';
import type { TableSchema } from './types.ts';

/** What a file holds: rows, positions of deleted rows, or keys of deleted rows. */
export const CONTENT = { data: 0, positionDeletes: 1, equalityDeletes: 2 } as const;
/** What a manifest says of a file. */
export const STATUS = { existing: 0, added: 1, deleted: 2 } as const;
/** What a manifest lists. */
const MANIFEST_CONTENT = { data: 0, deletes: 1 } as const;

/** A row of a manifest list, as the format names it. */
export type ManifestFile = AvroRecord & {
  manifest_path: string;
  content: number;
  sequence_number: bigint;
  min_sequence_number: bigint;
  added_snapshot_id: bigint;
};
/** Figures of the columns of a file, by field id. */
export type ColumnMap<V extends AvroValue> = readonly { readonly key: number; readonly value: V }[] | null;
/** A file in a manifest, as the format names it. */
export type DataFile = AvroRecord & {
  content: number;
  file_path: string;
  file_format: string;
  record_count: bigint;
  file_size_in_bytes: bigint;
};
/** A row of a manifest with its inherited snapshot id and sequence numbers filled in. */
export type ManifestEntry = AvroRecord & {
  status: number;
  snapshot_id: bigint | null;
  sequence_number: bigint | null;
  file_sequence_number: bigint | null;
  data_file: DataFile;
};

function pairs(figures: ColumnFigures, value: (text: string) => AvroValue): AvroRecord[] {
  return Object.entries(figures).map(([id, text]) => ({ key: Number(id), value: value(text) }));
}

/** The manifest's form of a staged data file. */
export function toDataFile(file: StagedFile): DataFile {
  const bound = (text: string): Buffer => Buffer.from(text, 'base64');
  return {
    content: CONTENT.data,
    file_path: file.location,
    file_format: 'PARQUET',
    partition: {},
    record_count: BigInt(file.record_count),
    file_size_in_bytes: BigInt(file.file_size_in_bytes),
    column_sizes: pairs(file.column_sizes, BigInt),
    value_counts: pairs(file.value_counts, BigInt),
    null_value_counts: pairs(file.null_value_counts, BigInt),
    nan_value_counts: null,
    lower_bounds: pairs(file.lower_bounds, bound),
    upper_bounds: pairs(file.upper_bounds, bound),
    key_metadata: null,
    split_offsets: null,
    equality_ids: null,
    sort_order_id: null,
  };
}

/** Reads a manifest list: the manifests of one snapshot. */
export async function readManifestList(io: FileIO, location: string): Promise<ManifestFile[]> {
  return decodeAvroFile(await io.read(location)).rows as ManifestFile[];
}

/** Reads a manifest; entries without a snapshot id or sequence number of their own inherit the manifest's. */
export async function readManifest(io: FileIO, manifest: ManifestFile): Promise<ManifestEntry[]> {
  const rows = decodeAvroFile(await io.read(manifest.manifest_path)).rows as ManifestEntry[];
  return rows.map((row) => ({
    ...row,
    snapshot_id: row.snapshot_id ?? manifest.added_snapshot_id,
    sequence_number: row.sequence_number ?? manifest.sequence_number,
    file_sequence_number: row.file_sequence_number ?? manifest.sequence_number,
  }));
}

/** Of which table state, and under which snapshot, a manifest is written. */
export type ManifestContext = {
  readonly io: FileIO;
  readonly location: string;
  readonly schema: TableSchema;
  readonly specId: number;
  readonly snapshotId: bigint;
  readonly sequenceNumber: bigint;
};

const ascending = (a: bigint, b: bigint): number => Number(a - b);

/** Writes a manifest of an unpartitioned table and gives its row for the manifest list. */
export async function writeManifest(
  context: ManifestContext,
  entries: readonly ManifestEntry[],
): Promise<ManifestFile> {
  const deletes = entries.some((entry) => entry.data_file.content !== CONTENT.data);
  const bytes = encodeAvroFile(
    MANIFEST_ENTRY,
    {
      schema: stringifyExact(context.schema),
      'schema-id': String(context.schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': String(context.specId),
      'format-version': '2',
      content: deletes ? 'deletes' : 'data',
    },
    entries,
  );
  await context.io.write(context.location, bytes);
  const of = (status: number) => entries.filter((entry) => entry.status === status);
  const rows = (status: number) => of(status).reduce((sum, entry) => sum + entry.data_file.record_count, 0n);
  const sequences = entries
    .filter((entry) => entry.status !== STATUS.deleted)
    .map((entry) => entry.sequence_number ?? context.sequenceNumber);
  return {
    manifest_path: context.location,
    manifest_length: BigInt(bytes.length),
    partition_spec_id: context.specId,
    content: deletes ? MANIFEST_CONTENT.deletes : MANIFEST_CONTENT.data,
    sequence_number: context.sequenceNumber,
    min_sequence_number: sequences.toSorted(ascending)[0] ?? context.sequenceNumber,
    added_snapshot_id: context.snapshotId,
    added_files_count: of(STATUS.added).length,
    existing_files_count: of(STATUS.existing).length,
    deleted_files_count: of(STATUS.deleted).length,
    added_rows_count: rows(STATUS.added),
    existing_rows_count: rows(STATUS.existing),
    deleted_rows_count: rows(STATUS.deleted),
    partitions: [],
    key_metadata: null,
  };
}

/** Writes the manifest list of a snapshot. */
export async function writeManifestList(
  io: FileIO,
  location: string,
  snapshot: { id: bigint; parentId: bigint | undefined; sequenceNumber: bigint },
  manifests: readonly ManifestFile[],
): Promise<void> {
  const metadata = {
    'snapshot-id': String(snapshot.id),
    'parent-snapshot-id': snapshot.parentId === undefined ? 'null' : String(snapshot.parentId),
    'sequence-number': String(snapshot.sequenceNumber),
    'format-version': '2',
  };
  await io.write(location, encodeAvroFile(MANIFEST_FILE, metadata, manifests));
}
