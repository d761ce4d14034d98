import { LakehouseError } from '../error/error.ts';
import { allFields, type FieldType, type PrimitiveType, type TableSchema } from '../schema/types.ts';
import type { PartitionField, PartitionSpec, Transform } from './partition-spec.ts';

/** The part of a table's metadata that says how its rows are divided. */
export type PartitionedTable = {
  readonly schemas: readonly TableSchema[];
  readonly 'current-schema-id': number;
  readonly 'partition-specs': readonly PartitionSpec[];
  readonly 'default-spec-id': number;
};

/** A partition field with the type of its values. */
export type TypedPartitionField = PartitionField & { readonly type: PrimitiveType };

/** The number in `bucket[16]` or `truncate[4]`; undefined for the transforms without one. */
export function transformWidth(transform: string, kind: 'bucket' | 'truncate'): number | undefined {
  const match = /^(bucket|truncate)\[(\d+)\]$/.exec(transform);
  return match?.[1] === kind ? Number(match[2]) : undefined;
}

/** The type of the values that a transform makes of a column of a type. */
export function transformType(transform: Transform, type: PrimitiveType): PrimitiveType {
  if (transform === 'identity' || transform === 'void' || transformWidth(transform, 'truncate') !== undefined) {
    return type;
  }
  return transform === 'day' ? 'date' : 'int';
}

/** The spec of an id, or the table's default one; `metadata_invalid` when there is none. */
export function partitionSpec(metadata: PartitionedTable, specId = metadata['default-spec-id']): PartitionSpec {
  const spec = metadata['partition-specs'].find((one) => one['spec-id'] === specId);
  if (!spec) throw new LakehouseError('metadata_invalid', 'A table metadata file lacks a partition spec');
  return spec;
}

/** Whether a spec divides nothing: it has no field, or none that makes values. */
export function isUnpartitioned(spec: PartitionSpec): boolean {
  return spec.fields.every((field) => field.transform === 'void');
}

/**
 * The fields of a spec with the types of their values, by the newest schema that has the column. A column that no
 * schema has any more, or whose transform is not known, is `partitions_unsupported`.
 */
export function typedPartitionFields(metadata: PartitionedTable, spec: PartitionSpec): TypedPartitionField[] {
  const newest = metadata.schemas.toSorted((a, b) => rank(metadata, b['schema-id']) - rank(metadata, a['schema-id']));
  const typeOf = (id: number): FieldType | undefined => {
    for (const schema of newest) {
      const field = allFields(schema.fields).find((one) => one.id === id);
      if (field) return field.type;
    }
    return undefined;
  };
  return spec.fields.map((field) => {
    const source = typeOf(field['source-id']);
    if (typeof source !== 'string' || !KNOWN_TRANSFORM.test(field.transform)) {
      throw new LakehouseError('partitions_unsupported', 'A partition spec of the table is not supported');
    }
    return { ...field, type: transformType(field.transform, source) };
  });
}

const KNOWN_TRANSFORM = /^(identity|year|month|day|hour|void|bucket\[\d+\]|truncate\[\d+\])$/;

// The current schema tells the types of today; the others only serve for columns that are gone.
function rank(metadata: PartitionedTable, schemaId: number): number {
  return schemaId === metadata['current-schema-id'] ? Number.POSITIVE_INFINITY : schemaId;
}
