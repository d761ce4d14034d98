import type { AvroField, AvroSchema } from '../avro/avro-schema.ts';

// Field ids and names of manifest lists and manifests, from the Iceberg table specification, format version 2.

const field = (name: string, type: AvroSchema, id: number): AvroField => ({ name, type, 'field-id': id });
const optional = (name: string, type: AvroSchema, id: number): AvroField => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
});
const figures = (keyId: number, valueId: number, value: AvroSchema): AvroSchema => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name: `k${keyId}_v${valueId}`,
    fields: [field('key', 'int', keyId), field('value', value, valueId)],
  },
});

const dataFile = (partition: AvroSchema): AvroSchema => ({
  type: 'record',
  name: 'r2',
  fields: [
    field('content', 'int', 134),
    field('file_path', 'string', 100),
    field('file_format', 'string', 101),
    field('partition', partition, 102),
    field('record_count', 'long', 103),
    field('file_size_in_bytes', 'long', 104),
    optional('column_sizes', figures(117, 118, 'long'), 108),
    optional('value_counts', figures(119, 120, 'long'), 109),
    optional('null_value_counts', figures(121, 122, 'long'), 110),
    optional('nan_value_counts', figures(138, 139, 'long'), 137),
    optional('lower_bounds', figures(126, 127, 'bytes'), 125),
    optional('upper_bounds', figures(129, 130, 'bytes'), 128),
    optional('key_metadata', 'bytes', 131),
    optional('split_offsets', { type: 'array', 'element-id': 133, items: 'long' }, 132),
    optional('equality_ids', { type: 'array', 'element-id': 136, items: 'int' }, 135),
    optional('sort_order_id', 'int', 140),
    optional('referenced_data_file', 'string', 143),
  ],
});

/** One row of a manifest: a file and what happened to it. The partition record is that of the manifest's spec. */
export const manifestEntry = (partition: AvroSchema): AvroSchema => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field('status', 'int', 0),
    optional('snapshot_id', 'long', 1),
    optional('sequence_number', 'long', 3),
    optional('file_sequence_number', 'long', 4),
    field('data_file', dataFile(partition), 2),
  ],
});

/** One row of a manifest list: a manifest of the snapshot. */
export const MANIFEST_FILE: AvroSchema = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    field('manifest_path', 'string', 500),
    field('manifest_length', 'long', 501),
    field('partition_spec_id', 'int', 502),
    field('content', 'int', 517),
    field('sequence_number', 'long', 515),
    field('min_sequence_number', 'long', 516),
    field('added_snapshot_id', 'long', 503),
    field('added_files_count', 'int', 504),
    field('existing_files_count', 'int', 505),
    field('deleted_files_count', 'int', 506),
    field('added_rows_count', 'long', 512),
    field('existing_rows_count', 'long', 513),
    field('deleted_rows_count', 'long', 514),
    optional(
      'partitions',
      {
        type: 'array',
        'element-id': 508,
        items: {
          type: 'record',
          name: 'r508',
          fields: [
            field('contains_null', 'boolean', 509),
            optional('contains_nan', 'boolean', 518),
            optional('lower_bound', 'bytes', 510),
            optional('upper_bound', 'bytes', 511),
          ],
        },
      },
      507,
    ),
    optional('key_metadata', 'bytes', 519),
  ],
};
