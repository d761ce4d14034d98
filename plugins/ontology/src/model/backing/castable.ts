import type { PropertyDocument, ValueType } from '../../contract/documents.ts';

/** What a value must be to fill a property. */
export type FilledType = Pick<PropertyDocument, 'value_type' | 'item_type' | 'constraints'>;

const STRUCTURED = /^(?:struct|list|map)</;
/** Columns that fill a property without a cast, in the words of the table format. */
const COLUMNS: Readonly<Record<Exclude<ValueType, 'decimal' | 'list'>, RegExp>> = {
  string: /^(?:string|uuid)$/,
  text: /^(?:string|uuid)$/,
  uuid: /^(?:string|uuid)$/,
  uri: /^(?:string|uuid)$/,
  email: /^(?:string|uuid)$/,
  boolean: /^boolean$/,
  integer: /^int$/,
  long: /^(?:int|long)$/,
  double: /^(?:float|double|int)$/,
  date: /^date$/,
  timestamp: /^timestamp(?:_ns)?$/,
  timestamptz: /^timestamptz(?:_ns)?$/,
  geometry: /^(?:string$|struct<|geometry)/,
  json: STRUCTURED,
};
/** Digits that every value of an integer type fits in. */
const DIGITS: Readonly<Record<string, number>> = { int: 10, long: 19 };
const DECIMAL = /^decimal\((?<precision>\d+), ?(?<scale>\d+)\)$/;
const LIST = /^list<(?<item>.*)>$/;

/** Whether a column of this type fills the property as it is; others need an expression that casts them. */
export function isCastable(type: string, { value_type, item_type, constraints }: FilledType): boolean {
  if (value_type === 'list') {
    const item = LIST.exec(type)?.groups?.item;
    return (
      item !== undefined &&
      item_type !== null &&
      isCastable(item, { value_type: item_type, item_type: null, constraints: {} })
    );
  }
  return value_type === 'decimal' ? isDecimal(type, constraints) : COLUMNS[value_type].test(type);
}

/** A decimal has room for what has as many digits on either side of the point; items of lists have no bounds. */
function isDecimal(type: string, { precision = 38, scale }: FilledType['constraints']): boolean {
  const digits = DIGITS[type];
  if (digits !== undefined) return precision - (scale ?? 0) >= digits;
  const { groups } = DECIMAL.exec(type) ?? {};
  if (groups === undefined) return false;
  const [wide, places] = [Number(groups.precision), Number(groups.scale)];
  return scale === undefined || (places <= scale && wide - places <= precision - scale);
}
