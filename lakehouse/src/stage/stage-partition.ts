import { identifier } from '../duckdb/duckdb-sql.ts';
import { LakehouseError } from '../error/error.ts';
import { BUCKET_FUNCTIONS } from '../partition/bucket-functions.ts';
import type { PartitionSpec, PartitionValues, Transform } from '../partition/partition-spec.ts';
import { transformType, transformWidth } from '../partition/partition-type.ts';
import { encodeUnscaled } from '../schema/bounds.ts';
import { encodeInteger, isIntegral } from '../schema/single-value.ts';
import { decimalShape, type PrimitiveType, type TableSchema } from '../schema/types.ts';

/** The column by which rows are divided over files: a text that is equal in equal partitions only. */
export const PARTITION_COLUMN = '_weir_partition';

/** A partition field with its value as SQL: a text that `encodePartitionValue` understands, or NULL. */
export type PartitionExpression = { readonly id: number; readonly type: PrimitiveType; readonly sql: string };

const MICROS_PER_HOUR = 3_600_000_000;

// The texts stay clear of how DuckDB prints dates and numbers: everything that is a number inside is an integer.
function plainSql(value: string, type: PrimitiveType): string {
  if (type === 'boolean') return `${value}::INTEGER::VARCHAR`;
  if (type === 'date') return `(${value} - DATE '1970-01-01')::VARCHAR`;
  if (type === 'time' || type === 'timestamp' || type === 'timestamptz') return `epoch_us(${value})::VARCHAR`;
  if (type === 'string') return value;
  if (type === 'uuid') return `replace(${value}::VARCHAR, '-', '')`;
  if (type === 'binary' || type.startsWith('fixed')) return `hex(${value})`;
  return decimalShape(type) ? `replace(${value}::VARCHAR, '.', '')` : `${value}::VARCHAR`;
}

function bucketSql(value: string, type: PrimitiveType, width: number): string {
  if (decimalShape(type)) return `${BUCKET_FUNCTIONS.unscaled}(${plainSql(value, type)}, ${width})`;
  if (isIntegral(type)) return `${BUCKET_FUNCTIONS.integer}(${plainSql(value, type)}::BIGINT, ${width})`;
  const bytes = type === 'string' ? `encode(${value})` : type === 'uuid' ? `unhex(${plainSql(value, type)})` : value;
  return `${BUCKET_FUNCTIONS.bytes}(${bytes}, ${width})`;
}

const floorSql = (value: string, width: number | bigint): string =>
  `(${value} - ((${value} % ${width} + ${width}) % ${width}))`;

function truncateSql(value: string, type: PrimitiveType, width: number): string {
  if (type === 'string') return `substr(${value}, 1, ${width})`;
  if (type === 'binary') return `substr(hex(${value}), 1, ${2 * width})`;
  return `${floorSql(`${plainSql(value, type)}::HUGEINT`, width)}::VARCHAR`;
}

function transformSql(transform: Transform, value: string, type: PrimitiveType): string {
  const [buckets, width] = [transformWidth(transform, 'bucket'), transformWidth(transform, 'truncate')];
  if (buckets !== undefined) return `${bucketSql(value, type, buckets)}::VARCHAR`;
  if (width !== undefined) return truncateSql(value, type, width);
  switch (transform) {
    case 'identity':
      return plainSql(value, type);
    case 'year':
      return `(year(${value}) - 1970)::VARCHAR`;
    case 'month':
      return `((year(${value}) - 1970) * 12 + month(${value}) - 1)::VARCHAR`;
    case 'day':
      return plainSql(`${value}::DATE`, 'date');
    case 'hour':
      return `(${floorSql(`epoch_us(${value})`, MICROS_PER_HOUR)} // ${MICROS_PER_HOUR})::VARCHAR`;
    default:
      return 'NULL::VARCHAR';
  }
}

/** The partition fields of a spec over the columns of a schema; `partitions_unsupported` for a column that is gone. */
export function partitionExpressions(spec: PartitionSpec, schema: TableSchema): PartitionExpression[] {
  return spec.fields.map((field) => {
    const column = schema.fields.find((one) => one.id === field['source-id']);
    if (field.transform === 'void') return { id: field['field-id'], type: 'int', sql: 'NULL::VARCHAR' };
    if (!column || typeof column.type !== 'string') {
      throw new LakehouseError('partitions_unsupported', 'A partition field has no top-level column of one value');
    }
    const type = transformType(field.transform, column.type);
    return { id: field['field-id'], type, sql: transformSql(field.transform, identifier(column.name), column.type) };
  });
}

/** The value of `PARTITION_COLUMN`. Values may be long and hold anything, and this becomes the name of a folder. */
export function partitionKeySql(fields: readonly PartitionExpression[]): string {
  return `md5(concat(${fields.map(({ sql }) => `coalesce('v' || length(${sql}) || ':' || ${sql}, 'n')`).join(', ')}))`;
}

/** A partition value in the single-value encoding, from the text that its expression made. */
export function encodePartitionValue(type: PrimitiveType, text: string): Buffer {
  if (type === 'boolean') return Buffer.from([text === '1' ? 1 : 0]);
  if (isIntegral(type)) return encodeInteger(type, BigInt(text));
  if (type === 'string') return Buffer.from(text);
  if (decimalShape(type)) return encodeUnscaled(BigInt(text));
  if (type !== 'float' && type !== 'double') return Buffer.from(text, 'hex');
  const number = Number(text.replace(/^(-?)inf(inity)?$/i, '$1Infinity'));
  const raw = Buffer.alloc(type === 'float' ? 4 : 8);
  type === 'float' ? raw.writeFloatLE(number) : raw.writeDoubleLE(number);
  return raw;
}

/** The partition of a file from the texts of its fields, in their order. */
export function partitionValues(
  fields: readonly PartitionExpression[],
  texts: readonly (string | null)[],
): PartitionValues {
  return Object.fromEntries(
    fields.map(({ id, type }, index) => {
      const text = texts[index] ?? null;
      return [String(id), text === null ? null : encodePartitionValue(type, text).toString('base64')];
    }),
  );
}
