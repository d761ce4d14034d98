import type { AvroField, AvroRecord, AvroSchema, AvroValue } from '../avro/avro-schema.ts';
import { decodeUnscaled, encodeUnscaled } from '../schema/bounds.ts';
import { decodeFloating, decodeInteger } from '../schema/single-value.ts';
import { decimalShape, fixedLength, type PrimitiveType } from '../schema/types.ts';
import type { TypedPartitionField } from './partition-type.ts';

/** The values that the rows of a file share: the single-value encoding by the id of the partition field. */
export type Partition = Readonly<Record<string, Buffer | null>>;

const SCALARS: ReadonlyMap<string, AvroSchema> = new Map<string, AvroSchema>(
  Object.entries<AvroSchema>({
    boolean: 'boolean',
    int: 'int',
    long: 'long',
    float: 'float',
    double: 'double',
    date: { type: 'int', logicalType: 'date' },
    time: { type: 'long', logicalType: 'time-micros' },
    timestamp: { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': false },
    timestamptz: { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': true },
    string: 'string',
    uuid: { type: 'fixed', name: 'uuid_fixed', size: 16, logicalType: 'uuid' },
    binary: 'bytes',
  }),
);

/** The fewest bytes that hold every unscaled value of a precision. */
function decimalBytes(precision: number): number {
  let size = 1;
  while (2n ** BigInt(8 * size - 1) < 10n ** BigInt(precision)) size++;
  return size;
}

function avroType(type: PrimitiveType): AvroSchema {
  const decimal = decimalShape(type);
  if (decimal) {
    const { precision, scale } = decimal;
    const name = `decimal_${precision}_${scale}`;
    return { type: 'fixed', name, size: decimalBytes(precision), logicalType: 'decimal', precision, scale };
  }
  const size = fixedLength(type);
  return size === undefined ? SCALARS.get(type)! : { type: 'fixed', name: `fixed_${size}`, size };
}

/** A name that Avro takes: other characters as their code, as every Iceberg library spells them. */
export function avroName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9_]/g, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/^\d/, (digit) => `_${digit}`);
}

/** The Avro record of the partitions of a spec. A named type is declared where it first occurs, as Avro wants. */
export function partitionRecord(fields: readonly TypedPartitionField[]): AvroSchema {
  const declared = new Set<string>();
  const once = (type: AvroSchema): AvroSchema => {
    const name = typeof type === 'object' && 'name' in type ? String(type.name) : undefined;
    if (name === undefined || declared.size === declared.add(name).size) return name ?? type;
    return type;
  };
  const avroFields = fields.map(
    (field): AvroField => ({
      name: avroName(field.name),
      type: ['null', once(avroType(field.type))],
      default: null,
      'field-id': field['field-id'],
    }),
  );
  return { type: 'record', name: 'r102', fields: avroFields };
}

function toAvro(type: PrimitiveType, bytes: Buffer): AvroValue {
  switch (type) {
    case 'boolean':
      return bytes[0] !== 0;
    case 'int':
    case 'date':
      return bytes.readInt32LE();
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return decodeInteger(bytes);
    case 'float':
    case 'double':
      return decodeFloating(bytes);
    case 'string':
      return bytes.toString('utf8');
    default: {
      const decimal = decimalShape(type);
      if (!decimal) return bytes;
      const [size, value] = [decimalBytes(decimal.precision), decodeUnscaled(bytes)];
      const digits = BigInt.asUintN(8 * size, value).toString(16);
      return Buffer.from(digits.padStart(2 * size, '0'), 'hex');
    }
  }
}

/** A partition as the Avro record of its spec; values from before a column was widened become wide ones. */
export function partitionToAvro(fields: readonly TypedPartitionField[], partition: Partition): AvroRecord {
  return Object.fromEntries(
    fields.map((field) => {
      const bytes = partition[field['field-id']] ?? null;
      return [avroName(field.name), bytes === null ? null : toAvro(field.type, bytes)];
    }),
  );
}

function fromAvro(schema: AvroSchema, value: AvroValue): Buffer | null {
  if (value === null) return null;
  if (Array.isArray(schema)) return fromAvro(schema.find((branch) => branch !== 'null') ?? 'null', value);
  const type = typeof schema === 'string' ? schema : (schema as { type: AvroSchema }).type;
  if (type === 'boolean') return Buffer.from([value ? 1 : 0]);
  if (type === 'string') return Buffer.from(value as string, 'utf8');
  if (Buffer.isBuffer(value)) {
    const decimal = typeof schema === 'object' && (schema as { logicalType?: unknown }).logicalType === 'decimal';
    return decimal ? encodeUnscaled(decodeUnscaled(value)) : value;
  }
  const raw = Buffer.alloc(type === 'long' || type === 'double' ? 8 : 4);
  if (type === 'long') raw.writeBigInt64LE(value as bigint);
  else if (type === 'double') raw.writeDoubleLE(value as number);
  else if (type === 'float') raw.writeFloatLE(value as number);
  else raw.writeInt32LE(value as number);
  return raw;
}

/** The partition that a record of a manifest holds, by the fields that the manifest declares for it. */
export function partitionFromAvro(fields: readonly AvroField[], record: AvroRecord): Partition {
  return Object.fromEntries(
    fields.map((field) => [String(field['field-id']), fromAvro(field.type, record[field.name] ?? null)]),
  );
}
