import { LakehouseError } from '../error/error.ts';
import { LAST_UNPARTITIONED_ID } from '../partition/partition-by.ts';
import type { PartitionField } from '../partition/partition-spec.ts';
import { maxFieldId, type TableSchema } from '../schema/types.ts';
import type { TableMetadata } from './metadata.ts';
import { MAIN_BRANCH } from './table-update.ts';

type Json = Readonly<Record<string, unknown>>;

/** Every format version that can be read. */
const READABLE: ReadonlySet<unknown> = new Set([1, 2]);

function invalid(message: string): LakehouseError {
  return new LakehouseError('metadata_invalid', message);
}

/**
 * Table metadata as version 2 has it, from what a file says in version 1 or 2: lists in place of the single schema and
 * spec, sequence numbers of 0, ids for partition fields, and the branch `main` for the newest snapshot. The version
 * stays what it was. `metadata_invalid` for anything else.
 */
export function completeMetadata(read: unknown): TableMetadata {
  const json = (read ?? {}) as Json;
  if (!READABLE.has(json['format-version'])) throw invalid('Only tables of format version 1 and 2 are supported');
  const schemas = completeSchemas(json);
  const specs = completeSpecs(json);
  const lastPartitionId = Math.max(
    LAST_UNPARTITIONED_ID,
    ...specs.flatMap((spec) => spec.fields.map((field) => field['field-id'])),
  );
  // -1 was an early way of saying that a table has no snapshot.
  const stated = json['current-snapshot-id'];
  const newest = typeof stated === 'bigint' && stated !== -1n ? stated : undefined;
  const { 'current-snapshot-id': _stated, ...members } = json;
  const main = newest === undefined ? {} : { [MAIN_BRANCH]: { 'snapshot-id': newest, type: 'branch' } };
  return {
    'last-sequence-number': 0n,
    'last-column-id': maxFieldId(schemas.flatMap((schema) => schema.fields)),
    'current-schema-id': schemas[0]!['schema-id'],
    'default-spec-id': specs[0]!['spec-id'],
    'last-partition-id': lastPartitionId,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: {},
    'snapshot-log': [],
    'metadata-log': [],
    ...withoutNulls(members),
    schemas,
    'partition-specs': specs,
    snapshots: completeSnapshots(json),
    refs: { ...main, ...(json.refs as TableMetadata['refs'] | undefined) },
    ...(newest === undefined ? {} : { 'current-snapshot-id': newest }),
  } as unknown as TableMetadata;
}

const withoutNulls = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));

function completeSchemas(json: Json): readonly TableSchema[] {
  const listed = Array.isArray(json.schemas) ? (json.schemas as Json[]) : [];
  const all = listed.length > 0 ? listed : [json.schema as Json | undefined];
  return all.map((schema) => {
    if (!Array.isArray(schema?.fields)) throw invalid('A table metadata file has no schema');
    return { ...schema, 'schema-id': (schema['schema-id'] ?? 0) as number } as unknown as TableSchema;
  });
}

function completeSpecs(json: Json): TableMetadata['partition-specs'] {
  const listed = json['partition-specs'] as TableMetadata['partition-specs'] | undefined;
  const all = listed?.length ? listed : [{ 'spec-id': 0, fields: (json['partition-spec'] ?? []) as PartitionField[] }];
  // Version 1 gave partition fields no ids; they count from the first.
  return all.map((spec) => ({
    ...spec,
    fields: spec.fields.map((field, at) => ({
      ...field,
      'field-id': field['field-id'] ?? LAST_UNPARTITIONED_ID + 1 + at,
    })),
  }));
}

function completeSnapshots(json: Json): TableMetadata['snapshots'] {
  const listed = (json.snapshots ?? []) as TableMetadata['snapshots'];
  return listed.map((snapshot) =>
    snapshot['sequence-number'] === undefined || snapshot.summary === undefined
      ? { ...snapshot, 'sequence-number': snapshot['sequence-number'] ?? 0n, summary: snapshot.summary ?? {} }
      : snapshot,
  );
}
