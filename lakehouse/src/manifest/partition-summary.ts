import type { Partition } from '../partition/partition-avro.ts';
import type { TypedPartitionField } from '../partition/partition-type.ts';
import { compareValues, isNanValue } from '../schema/single-value.ts';
import type { PartitionSummary } from './manifest.ts';

/** What a manifest list says of the partitions of a manifest's files, one summary for every field of the spec. */
export function partitionSummaries(
  fields: readonly TypedPartitionField[],
  partitions: readonly Partition[],
): PartitionSummary[] {
  return fields.map((field) => {
    const values = partitions.map((partition) => partition[field['field-id']] ?? null);
    const known = values.filter((value): value is Buffer => value !== null);
    const ordered = known.filter((value) => !isNanValue(field.type, value));
    const pick = (sign: 1 | -1): Buffer | null =>
      ordered.reduce<Buffer | null>(
        (best, value) => (best === null || compareValues(field.type, value, best) * sign > 0 ? value : best),
        null,
      );
    return {
      contains_null: known.length < values.length,
      contains_nan: known.length > ordered.length,
      lower_bound: pick(-1),
      upper_bound: pick(1),
    };
  });
}
