import { LakehouseError } from './error.ts';

/** The scalar types of the Iceberg v2 specification that this library writes. A decimal is spelt `decimal(18, 2)`. */
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
  | `decimal(${number}, ${number})`;
export type StructType = { readonly type: 'struct'; readonly fields: readonly Field[] };
export type ListType = {
  readonly type: 'list';
  readonly 'element-id': number;
  readonly element: FieldType;
  readonly 'element-required': boolean;
};
export type FieldType = PrimitiveType | StructType | ListType;
export type Field = {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: FieldType;
};
/** One schema of a table as it stands in table metadata. */
export type TableSchema = { readonly type: 'struct'; readonly 'schema-id': number; readonly fields: readonly Field[] };

/** A type without field ids: what a table should be able to hold, before a table gave ids to it. */
export type ColumnType = PrimitiveType | { readonly struct: readonly Column[] } | { readonly list: ColumnType };
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

/** A type name as text (`decimal(18,2)` or `long`), in the spelling used here; undefined when it is no such type. */
export function parsePrimitive(text: string): PrimitiveType | undefined {
  if (SIMPLE_TYPES.has(text)) return text as PrimitiveType;
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
    const id = ++last;
    return { type: 'list', 'element-id': id, element: nested(type.list), 'element-required': false };
  };
  return level(columns);
}

/** The highest field id in a list of fields, nested ones included; 0 for none. */
export function maxFieldId(fields: readonly Field[]): number {
  const ofType = (type: FieldType): number => {
    if (typeof type === 'string') return 0;
    return type.type === 'struct' ? maxFieldId(type.fields) : Math.max(type['element-id'], ofType(type.element));
  };
  return fields.reduce((max, field) => Math.max(max, field.id, ofType(field.type)), 0);
}

/** The column type that a field type is, without its ids. */
export function columnType(type: FieldType): ColumnType {
  if (typeof type === 'string') return type;
  if (type.type === 'list') return { list: columnType(type.element) };
  return { struct: type.fields.map((field) => ({ name: field.name, type: columnType(field.type) })) };
}

/** The columns of a schema, without their ids. */
export function schemaColumns(schema: TableSchema): Column[] {
  return schema.fields.map((field) => ({ name: field.name, type: columnType(field.type) }));
}
