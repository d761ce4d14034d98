import { LakehouseError } from '../error/error.ts';
import type { PartitionSummary } from '../manifest/manifest.ts';
import type { TableMetadata } from '../metadata/metadata.ts';
import type { Partition } from '../partition/partition-avro.ts';
import { canTransform } from '../partition/partition-by.ts';
import { applyTransform } from '../partition/partition-transform.ts';
import {
  partitionSpec,
  type TypedPartitionField,
  transformWidth,
  typedPartitionFields,
} from '../partition/partition-type.ts';
import type { Condition } from './condition.ts';
import { type Comparable, comparable, constantBytes, mayStart, order } from './prune.ts';

/** What must hold of the value of one partition field if any row of the partition is to fit a condition. */
type Projection = {
  readonly id: number;
  /** Where in the spec, and so in the summaries of a manifest. */
  readonly at: number;
  readonly type: TypedPartitionField['type'];
  readonly must: 'be_null' | 'be_there' | 'equal' | 'reach_down' | 'reach_up' | 'start';
  readonly value: Comparable | undefined;
};

/** Tells which manifests and files of a spec may hold rows that fit. */
export type PartitionPruner = {
  mayList(summaries: readonly PartitionSummary[] | null): boolean;
  mayHold(partition: Partition): boolean;
};

const EVERYTHING: PartitionPruner = { mayList: () => true, mayHold: () => true };

/**
 * A pruner by the partition values of files, which says yes unless they rule every row out: conditions are projected
 * through the transforms by which the values were made. A spec that is not known here prunes nothing.
 */
export function partitionPruner(
  metadata: TableMetadata,
  specId: number,
  conditions: readonly Condition[],
): PartitionPruner {
  if (conditions.length === 0) return EVERYTHING;
  const projections = knownFields(metadata, specId).flatMap((field, at) =>
    conditions.filter((one) => one.field.id === field['source-id']).flatMap((one) => project(field, at, one)),
  );
  if (projections.length === 0) return EVERYTHING;
  return {
    mayList: (summaries) => projections.every((one) => mayList(one, summaries?.[one.at])),
    mayHold: (partition) => projections.every((one) => mayBe(one, partition[one.id])),
  };
}

function knownFields(metadata: TableMetadata, specId: number): readonly TypedPartitionField[] {
  try {
    return typedPartitionFields(metadata, partitionSpec(metadata, specId));
  } catch (error) {
    if (error instanceof LakehouseError) return [];
    throw error;
  }
}

function project(field: TypedPartitionField, at: number, condition: Condition): Projection[] {
  const { transform, type, 'field-id': id } = field;
  if (transform === 'void') return [];
  const { op, text } = condition;
  if (op === 'is_null') return [{ id, at, type, must: 'be_null', value: undefined }];
  const there: Projection = { id, at, type, must: 'be_there', value: undefined };
  const constant = text === undefined ? undefined : constantBytes(condition.field.type, text);
  const source = condition.field.type;
  if (constant === undefined || typeof source !== 'string' || !canTransform(transform, source)) return [there];
  if (op === 'starts_with') {
    // A truncation to fewer characters still begins as its value does, but says no more than that.
    const width = transform === 'identity' ? Number.POSITIVE_INFINITY : transformWidth(transform, 'truncate');
    if (width === undefined) return [there];
    const beginning = Array.from(text ?? '')
      .slice(0, width)
      .join('');
    return [there, { ...there, must: 'start', value: Buffer.from(beginning) }];
  }
  const bytes = applyTransform(transform, source, constant);
  const value = bytes === null ? undefined : comparable(type, bytes);
  const must = value === undefined ? undefined : wayOf(condition, field, value);
  return must === undefined ? [there] : [there, { ...there, must, value }];
}

/** On which side of the constant's own value a partition must lie; undefined when the transform does not tell. */
function wayOf(
  { op, field, text }: Condition,
  partition: TypedPartitionField,
  value: Comparable,
): Projection['must'] | undefined {
  if (op === 'eq') return 'equal';
  if (transformWidth(partition.transform, 'bucket') !== undefined) return undefined;
  // A truncation below the least integer wraps around, so an integer's is in order only as far as it did not.
  const wraps =
    transformWidth(partition.transform, 'truncate') !== undefined && (field.type === 'int' || field.type === 'long');
  if (op === 'lt' || op === 'le') return wraps ? undefined : 'reach_down';
  if (op !== 'gt' && op !== 'ge') return undefined;
  return wraps && order(value, BigInt(text ?? '0')) > 0 ? undefined : 'reach_up';
}

function mayBe({ type, must, value }: Projection, bytes: Buffer | null | undefined): boolean {
  // A file of which nothing is said may hold anything.
  if (bytes === undefined) return true;
  if (must === 'be_null') return bytes === null;
  if (bytes === null) return false;
  const found = comparable(type, bytes);
  return found === undefined || within(must, value, { lower: found, upper: found });
}

function mayList({ type, must, value }: Projection, summary: PartitionSummary | undefined): boolean {
  if (summary === undefined) return true;
  if (must === 'be_null') return summary.contains_null;
  if ((type === 'float' || type === 'double') && summary.contains_nan !== false) return true;
  if (summary.lower_bound === null && summary.upper_bound === null) return !summary.contains_null;
  const lower = comparable(type, summary.lower_bound ?? undefined);
  const upper = comparable(type, summary.upper_bound ?? undefined);
  return within(must, value, { lower, upper });
}

function within(
  must: Projection['must'],
  value: Comparable | undefined,
  { lower, upper }: { lower: Comparable | undefined; upper: Comparable | undefined },
): boolean {
  if (value === undefined) return true;
  if (must === 'start') return mayStart(value as Buffer, lower as Buffer | undefined, upper as Buffer | undefined);
  const above = order(value, lower) >= 0 || lower === undefined;
  const below = order(value, upper) <= 0 || upper === undefined;
  return must === 'reach_down' ? above : must === 'reach_up' ? below : above && below;
}
