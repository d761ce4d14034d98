import { promoteValue } from '../schema/single-value.ts';
import type { Partition } from './partition-avro.ts';
import {
  type PartitionedTable,
  partitionSpec,
  type TypedPartitionField,
  typedPartitionFields,
} from './partition-type.ts';

/** A partition of a spec as a text, equal for equal partitions and for them alone. */
export type PartitionKey = (specId: number, partition: Partition) => string;

/**
 * The keys of partitions in a table. Values are compared in the type that their column has now, so that a file from
 * before a column was widened is in the same partition as one from after it.
 */
export function partitionKeys(metadata: PartitionedTable): PartitionKey {
  const known = new Map<number, readonly TypedPartitionField[] | undefined>();
  const fieldsOf = (specId: number): readonly TypedPartitionField[] | undefined => {
    if (!known.has(specId)) known.set(specId, typesIfKnown(metadata, specId));
    return known.get(specId);
  };
  return (specId, partition) => {
    const types = new Map(fieldsOf(specId)?.map((field) => [String(field['field-id']), field.type]));
    const values = Object.entries(partition).map(([id, value]) => {
      const type = types.get(id);
      return value === null ? null : (type === undefined ? value : promoteValue(type, value)).toString('hex');
    });
    return JSON.stringify([specId, ...values]);
  };
}

// A spec that only newer writers know has values of unknown types, which are compared as they are.
function typesIfKnown(metadata: PartitionedTable, specId: number): readonly TypedPartitionField[] | undefined {
  try {
    return typedPartitionFields(metadata, partitionSpec(metadata, specId));
  } catch {
    return undefined;
  }
}
