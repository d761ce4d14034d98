import { LakehouseError } from '../error/error.ts';
import { decimalShape, type Field, fixedLength, type PrimitiveType } from '../schema/types.ts';
import type { PartitionBy, PartitionField, PartitionSpec, Transform } from './partition-spec.ts';
import { type PartitionedTable, transformWidth } from './partition-type.ts';

/** The id below the first partition field, by the specification. */
export const LAST_UNPARTITIONED_ID = 999;

const TIMES: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);
const HASHED: ReadonlySet<string> = new Set([
  'int',
  'long',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'string',
  'uuid',
  'binary',
]);
const CUT: ReadonlySet<string> = new Set(['int', 'long', 'string', 'binary']);
const MAX_WIDTH = 2 ** 31 - 1;

/** Whether a transform is one that we make, of a type that it takes. */
export function canTransform(transform: Transform, type: PrimitiveType): boolean {
  const isDecimal = decimalShape(type) !== undefined;
  const [buckets, width] = [transformWidth(transform, 'bucket'), transformWidth(transform, 'truncate')];
  if (buckets !== undefined) {
    return inRange(buckets) && (HASHED.has(type) || isDecimal || fixedLength(type) !== undefined);
  }
  if (width !== undefined) return inRange(width) && (CUT.has(type) || isDecimal);
  if (transform === 'hour') return TIMES.has(type) && type !== 'date';
  return transform === 'identity' || transform === 'void' || TIMES.has(type);
}

const inRange = (width: number): boolean => width >= 1 && width <= MAX_WIDTH;

/** The name of a partition field, as Spark and PyIceberg make it: `day`, `day_bucket_16`, `day_trunc_4`, `day_month`. */
export function partitionName(column: string, transform: Transform): string {
  if (transform === 'identity') return column;
  if (transform === 'void') return `${column}_null`;
  const match = /^(bucket|truncate)\[(\d+)\]$/.exec(transform);
  return match ? `${column}_${match[1] === 'bucket' ? 'bucket' : 'trunc'}_${match[2]}` : `${column}_${transform}`;
}

const invalid = (message: string, column: string): LakehouseError =>
  new LakehouseError('partition_invalid', message, { columns: [column] });

// Partitions by day are also partitions by month, so a column has one transform of time at most.
const kindOf = (transform: Transform): string => (/^(year|month|day|hour)$/.test(transform) ? 'time' : transform);

/**
 * The spec that a user asks for. A field that an earlier spec of the table had keeps its id and name, as all specs of a
 * table share their ids; new ones come after `lastPartitionId`. `partition_invalid` names the column that cannot be
 * partitioned so.
 */
export function newPartitionSpec(options: {
  readonly fields: readonly Field[];
  readonly partitionBy: PartitionBy;
  readonly specId: number;
  readonly earlier?: readonly PartitionSpec[];
  readonly lastPartitionId?: number;
}): PartitionSpec {
  const { fields, partitionBy, specId, earlier = [] } = options;
  let lastId = options.lastPartitionId ?? LAST_UNPARTITIONED_ID;
  const known = earlier.flatMap((spec) => spec.fields);
  const [kinds, names] = [new Set<string>(), new Set<string>()];
  const made = partitionBy.map(({ column, transform }): PartitionField => {
    const source = fields.find((field) => field.name === column);
    if (!source) throw invalid('A partition column is not in the table', column);
    if (typeof source.type !== 'string' || !canTransform(transform, source.type)) {
      throw invalid('A partition column has a type that cannot be partitioned so', column);
    }
    const before = known.find((field) => field['source-id'] === source.id && field.transform === transform);
    const name = before?.name ?? partitionName(column, transform);
    const clash = fields.some((field) => field.name === name && (transform !== 'identity' || field !== source));
    const kind = `${source.id}:${kindOf(transform)}`;
    if (clash || kinds.has(kind) || names.has(name)) throw invalid('A partition would be there twice', column);
    kinds.add(kind);
    names.add(name);
    return { 'source-id': source.id, 'field-id': before?.['field-id'] ?? ++lastId, name, transform };
  });
  return { 'spec-id': specId, fields: made };
}

/** A table as far as its next spec depends on it. */
type Divided = PartitionedTable & { readonly 'last-partition-id': number };

/** The spec by which a table is divided from now on, over these fields; one that it had before keeps its id. */
export function nextPartitionSpec(table: Divided, fields: readonly Field[], partitionBy: PartitionBy): PartitionSpec {
  const { 'partition-specs': earlier, 'last-partition-id': lastPartitionId } = table;
  const specId = Math.max(...earlier.map((one) => one['spec-id'])) + 1;
  const spec = newPartitionSpec({ fields, partitionBy, specId, earlier, lastPartitionId });
  return earlier.find((one) => isSameDivision(one, spec)) ?? spec;
}

const fieldsText = ({ fields }: PartitionSpec): string =>
  JSON.stringify(fields.map((field) => Object.entries(field).sort()));

/** Whether two specs divide rows alike, whatever their ids are. */
export const isSameDivision = (one: PartitionSpec, other: PartitionSpec): boolean =>
  fieldsText(one) === fieldsText(other);
