import { randomUUID } from 'node:crypto';
import { LAST_UNPARTITIONED_ID, newPartitionSpec } from '../partition/partition-by.ts';
import type { PartitionBy } from '../partition/partition-spec.ts';
import { type Field, maxFieldId } from '../schema/types.ts';
import { FORMAT_VERSION, type TableMetadata } from './metadata.ts';

/** The metadata of a new, empty table. */
export function newMetadata(options: {
  location: string;
  fields: readonly Field[];
  partitionBy?: PartitionBy;
  properties: Readonly<Record<string, string>>;
}): TableMetadata {
  const spec = newPartitionSpec({ fields: options.fields, partitionBy: options.partitionBy ?? [], specId: 0 });
  return {
    'format-version': FORMAT_VERSION,
    'table-uuid': randomUUID(),
    location: options.location,
    'last-sequence-number': 0n,
    'last-updated-ms': Date.now(),
    'last-column-id': maxFieldId(options.fields),
    'current-schema-id': 0,
    schemas: [{ type: 'struct', 'schema-id': 0, fields: options.fields }],
    'default-spec-id': 0,
    'partition-specs': [spec],
    'last-partition-id': LAST_UNPARTITIONED_ID + spec.fields.length,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: options.properties,
    refs: {},
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
    statistics: [],
  };
}
