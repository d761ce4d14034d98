import {
  Field as ArrowField,
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  FixedSizeBinary,
  Float32,
  Float64,
  Int32,
  Int64,
  List,
  Map_,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow';
import { LakehouseError } from '../error/error.ts';
import { decimalShape, type Field, type FieldType, fixedLength, innerFields, type MapType } from '../schema/types.ts';

export const UUID_BYTES = 16;
const DECIMAL_BITS = 128;
/** Under this key the format and its readers keep the ids of fields. */
const FIELD_ID = 'PARQUET:field_id';

/** The Arrow type that holds every value of a table type unchanged. */
export function arrowType(type: FieldType): DataType {
  if (typeof type !== 'string') {
    const inner = innerFields(type).map(arrowField);
    if (type.type === 'struct') return new Struct(inner);
    return type.type === 'list' ? new List(inner[0]!) : new Map_(new ArrowField('entries', entriesType(type), false));
  }
  switch (type) {
    case 'boolean':
      return new Bool();
    case 'int':
      return new Int32();
    case 'long':
      return new Int64();
    case 'float':
      return new Float32();
    case 'double':
      return new Float64();
    case 'date':
      return new DateDay();
    case 'time':
      return new TimeMicrosecond();
    case 'timestamp':
      return new TimestampMicrosecond();
    case 'timestamptz':
      return new TimestampMicrosecond('UTC');
    case 'string':
      return new Utf8();
    case 'uuid':
      return new FixedSizeBinary(UUID_BYTES);
    case 'binary':
      return new Binary();
    default: {
      const [shape, length] = [decimalShape(type), fixedLength(type)];
      if (length !== undefined) return new FixedSizeBinary(length);
      if (!shape) throw new LakehouseError('unsupported_type', 'A column has a type that is not supported');
      return new Decimal(shape.scale, shape.precision, DECIMAL_BITS);
    }
  }
}

/** What a map is a list of; its keys are never NULL. */
export function entriesType(type: MapType): Struct<{ key: DataType; value: DataType }> {
  const [key, value] = innerFields(type).map(arrowField) as [ArrowField, ArrowField];
  return new Struct([new ArrowField('key', key.type, false, key.metadata), value]);
}

/** A field with its id in its metadata; a uuid says that it is one. Nothing is ever declared to be without NULL. */
export function arrowField({ id, name, type }: Field): ArrowField {
  const labels = new Map([[FIELD_ID, String(id)]]);
  if (type === 'uuid') labels.set('ARROW:extension:name', 'arrow.uuid').set('ARROW:extension:metadata', '');
  return new ArrowField(name, arrowType(type), true, labels);
}
