import { encodeAvroFile } from '../avro/avro-encode.ts';
import type { AvroRecord } from '../avro/avro-schema.ts';
import { stringifyExact } from '../metadata/metadata-json.ts';
import { partitionRecord, partitionToAvro } from '../partition/partition-avro.ts';
import type { PartitionSpec } from '../partition/partition-spec.ts';
import type { TypedPartitionField } from '../partition/partition-type.ts';
import type { TableSchema } from '../schema/types.ts';
import {
  CONTENT,
  MANIFEST_CONTENT,
  type ManifestEntry,
  type ManifestFile,
  manifestCounts,
  STATUS,
} from './manifest.ts';
import { MANIFEST_FILE, manifestEntry } from './manifest-schema.ts';
import { partitionSummaries } from './partition-summary.ts';

/** A file of metadata that is encoded and not yet written. */
export type PendingFile = { readonly location: string; readonly bytes: Buffer };

/** Of which table state, and under which snapshot, a manifest is written. */
export type ManifestContext = {
  readonly location: string;
  readonly schema: TableSchema;
  readonly spec: PartitionSpec;
  /** The fields of the spec with the types of their values. */
  readonly fields: readonly TypedPartitionField[];
  readonly snapshotId: bigint;
  readonly sequenceNumber: bigint;
};

const least = (values: readonly bigint[]): bigint | undefined =>
  values.reduce<bigint | undefined>((least, one) => (least === undefined || one < least ? one : least), undefined);

/** A manifest of format version 2 with these entries, all of one spec and content, and its row for the manifest list. */
export function encodeManifest(
  context: ManifestContext,
  entries: readonly ManifestEntry[],
): { manifest: ManifestFile; pending: PendingFile } {
  const { location, schema, spec, fields, snapshotId, sequenceNumber } = context;
  const deletes = entries.some((entry) => entry.data_file.content !== CONTENT.data);
  const rows = entries.map((entry): AvroRecord => {
    const { partition, ...file } = entry.data_file;
    return { ...entry, data_file: { ...file, partition: partitionToAvro(fields, partition) } as AvroRecord };
  });
  const header = {
    schema: stringifyExact(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': stringifyExact(spec.fields),
    'partition-spec-id': String(spec['spec-id']),
    'format-version': '2',
    content: deletes ? 'deletes' : 'data',
  };
  const bytes = encodeAvroFile(manifestEntry(partitionRecord(fields)), header, rows);
  const live = entries.filter((entry) => entry.status !== STATUS.deleted);
  const manifest: ManifestFile = {
    manifest_path: location,
    manifest_length: BigInt(bytes.length),
    partition_spec_id: spec['spec-id'],
    content: deletes ? MANIFEST_CONTENT.deletes : MANIFEST_CONTENT.data,
    sequence_number: sequenceNumber,
    min_sequence_number: least(live.map((entry) => entry.sequence_number ?? sequenceNumber)) ?? sequenceNumber,
    added_snapshot_id: snapshotId,
    ...manifestCounts(entries),
    partitions: partitionSummaries(
      fields,
      entries.map((entry) => entry.data_file.partition),
    ),
    key_metadata: null,
  };
  return { manifest, pending: { location, bytes } };
}

/** The manifest list of a snapshot, in the order given. */
export function encodeManifestList(
  location: string,
  snapshot: { id: bigint; parentId: bigint | undefined; sequenceNumber: bigint },
  manifests: readonly ManifestFile[],
): PendingFile {
  const header = {
    'snapshot-id': String(snapshot.id),
    'parent-snapshot-id': snapshot.parentId === undefined ? 'null' : String(snapshot.parentId),
    'sequence-number': String(snapshot.sequenceNumber),
    'format-version': '2',
  };
  return { location, bytes: encodeAvroFile(MANIFEST_FILE, header, manifests) };
}
