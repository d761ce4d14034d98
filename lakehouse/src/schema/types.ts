import { LakehouseError } from '../error/error.ts';

/** The scalar types of the Iceberg v2 specification. A decimal is spelt `decimal(18, 2)`. */
export type PrimitiveType =
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'string'
  | 'uuid'
  | 'binary'
  | `fixed[${number}]`
  | `decimal(${number}, ${number})`;
export type StructType = { readonly type: 'struct'; readonly fields: readonly Field[] };
export type ListType = {
  readonly type: 'list';
  readonly 'element-id': number;
  readonly element: FieldType;
  readonly 'element-required': boolean;
};
export type MapType = {
  readonly type: 'map';
  readonly 'key-id': number;
  readonly key: FieldType;
  readonly 'value-id': number;
  readonly value: FieldType;
  readonly 'value-required': boolean;
};
export type FieldType = PrimitiveType | StructType | ListType | MapType;
/** A field; members that this library does not know, such as default values, are carried along unchanged. */
export type Field = {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: FieldType;
  readonly doc?: string;
};
/** One schema of a table as it stands in table metadata. */
export type TableSchema = {
  readonly type: 'struct';
  readonly 'schema-id': number;
  readonly fields: readonly Field[];
  /** Required columns that together tell one row from another, if some writer said so. */
  readonly 'identifier-field-ids'?: readonly number[];
};

/** A type without field ids: what a table should be able to hold, before a table gave ids to it. */
export type ColumnType =
  | PrimitiveType
  | { readonly struct: readonly Column[] }
  | { readonly list: ColumnType }
  | { readonly map: { readonly key: ColumnType; readonly value: ColumnType } };
export type Column = { readonly name: string; readonly type: ColumnType };

/** The columns that the write path adds behind the columns of the data. */
export const META_COLUMNS: readonly Column[] = [
  { name: '_extracted_at', type: 'timestamptz' },
  { name: '_run_id', type: 'string' },
  {
    name: '_errors',
    type: {
      list: {
        struct: [
          { name: 'field', type: 'string' },
          { name: 'change', type: 'string' },
          { name: 'reason', type: 'string' },
        ],
      },
    },
  },
  { name: '_extra', type: 'string' },
];

/** The column of the file that a row was read from, in a table whose rows come from files. */
export const FILE_COLUMN: Column = { name: '_file', type: 'string' };

/** Names of the columns that the write path fills by itself. */
export const FILLED_COLUMNS: ReadonlySet<string> = new Set([...META_COLUMNS, FILE_COLUMN].map(({ name }) => name));

const MAX_PRECISION = 38;
const SIMPLE_TYPES: ReadonlySet<string> = new Set<PrimitiveType>([
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'string',
  'uuid',
  'binary',
]);

/** Precision and scale of a decimal type, or undefined for every other type. */
export function decimalShape(type: FieldType | string): { precision: number; scale: number } | undefined {
  const match = typeof type === 'string' ? /^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(type) : null;
  return match ? { precision: Number(match[1]), scale: Number(match[2]) } : undefined;
}

/** The length in bytes of a fixed type, or undefined for every other type. */
export function fixedLength(type: FieldType | string): number | undefined {
  const match = typeof type === 'string' ? /^fixed\[\s*(\d+)\s*\]$/.exec(type) : null;
  return match ? Number(match[1]) : undefined;
}

/** A type name as text (`decimal(18,2)` or `long`), in the spelling used here; undefined when it is no such type. */
export function parsePrimitive(text: string): PrimitiveType | undefined {
  if (SIMPLE_TYPES.has(text)) return text as PrimitiveType;
  const length = fixedLength(text);
  if (length !== undefined) return `fixed[${length}]`;
  const decimal = decimalShape(text);
  if (!decimal || decimal.precision < 1 || decimal.precision > MAX_PRECISION || decimal.scale > decimal.precision) {
    return undefined;
  }
  return `decimal(${decimal.precision}, ${decimal.scale})`;
}

/** Columns with the meta columns behind them; a data column that takes the name of a meta column is refused. */
export function withMetaColumns(columns: readonly Column[]): Column[] {
  const reserved = new Set(META_COLUMNS.map((column) => column.name));
  const taken = columns.filter((column) => reserved.has(column.name.toLowerCase())).map((column) => column.name);
  if (taken.length) throw new LakehouseError('column_reserved', 'A column has a reserved name', { columns: taken });
  return [...columns, ...META_COLUMNS];
}

/** Two columns whose names differ only in case cannot be told apart by most engines, so they are refused. */
export function assertDistinctNames(names: readonly string[]): void {
  const seen = new Set<string>();
  const doubled = names.filter((name) => seen.size === seen.add(name.toLowerCase()).size);
  if (doubled.length) {
    throw new LakehouseError('column_duplicate', 'Column names must differ in more than case', { columns: doubled });
  }
}

/** Gives ids to columns in the order of the specification: a level first, then what is nested in it. */
export function assignFieldIds(columns: readonly Column[], afterId = 0): Field[] {
  let last = afterId;
  const level = (siblings: readonly Column[]): Field[] => {
    assertDistinctNames(siblings.map((column) => column.name));
    const ids = siblings.map(() => ++last);
    return siblings.map(({ name, type }, index) => ({ id: ids[index]!, name, required: false, type: nested(type) }));
  };
  const nested = (type: ColumnType): FieldType => {
    if (typeof type === 'string') return type;
    if ('struct' in type) return { type: 'struct', fields: level(type.struct) };
    if ('map' in type) {
      const [keyId, valueId] = [++last, ++last];
      const [key, value] = [nested(type.map.key), nested(type.map.value)];
      return { type: 'map', 'key-id': keyId, key, 'value-id': valueId, value, 'value-required': false };
    }
    const id = ++last;
    return { type: 'list', 'element-id': id, element: nested(type.list), 'element-required': false };
  };
  return level(columns);
}

/** The highest field id in a list of fields, nested ones included; 0 for none. */
export function maxFieldId(fields: readonly Field[]): number {
  return allFields(fields).reduce((max, field) => Math.max(max, field.id), 0);
}

/** Lists, maps and structs as the fields that they hold: `element`, `key` and `value`, or the struct's own. */
export function innerFields(type: FieldType): readonly Field[] {
  if (typeof type === 'string') return [];
  if (type.type === 'struct') return type.fields;
  if (type.type === 'list') {
    return [{ id: type['element-id'], name: 'element', required: type['element-required'], type: type.element }];
  }
  return [
    { id: type['key-id'], name: 'key', required: true, type: type.key },
    { id: type['value-id'], name: 'value', required: type['value-required'], type: type.value },
  ];
}

/** The same type with other inner fields, as many and in the order that `innerFields` gives for lists and maps. */
export function withInnerFields(type: FieldType, inner: readonly Field[]): FieldType {
  if (typeof type === 'string') return type;
  if (type.type === 'struct') return { ...type, fields: inner };
  if (type.type === 'list') return { ...type, element: inner[0]!.type, 'element-required': inner[0]!.required };
  return { ...type, key: inner[0]!.type, value: inner[1]!.type, 'value-required': inner[1]!.required };
}

/** Fields and all that is nested in them, each before its inner ones. */
export function allFields(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => [field, ...allFields(innerFields(field.type))]);
}

/** The column type that a field type is, without its ids. */
export function columnType(type: FieldType): ColumnType {
  if (typeof type === 'string') return type;
  if (type.type === 'list') return { list: columnType(type.element) };
  if (type.type === 'map') return { map: { key: columnType(type.key), value: columnType(type.value) } };
  return { struct: type.fields.map((field) => ({ name: field.name, type: columnType(field.type) })) };
}

/** The columns of a schema, without their ids. */
export function schemaColumns(schema: TableSchema): Column[] {
  return schema.fields.map((field) => ({ name: field.name, type: columnType(field.type) }));
}
