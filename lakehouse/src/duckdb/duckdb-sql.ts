import { LakehouseError } from '../error/error.ts';
import { decimalShape, type Field, type FieldType, fixedLength, innerFields } from '../schema/types.ts';

const SQL_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    boolean: 'BOOLEAN',
    int: 'INTEGER',
    long: 'BIGINT',
    float: 'FLOAT',
    double: 'DOUBLE',
    date: 'DATE',
    time: 'TIME',
    timestamp: 'TIMESTAMP',
    timestamptz: 'TIMESTAMPTZ',
    string: 'VARCHAR',
    uuid: 'UUID',
    binary: 'BLOB',
  }),
);

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier, and as a key of a struct literal. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** DuckDB's spelling of a table type; `unsupported_type` for a type that this library does not read or write. */
export function sqlType(type: FieldType): string {
  if (typeof type === 'string') {
    const decimal = decimalShape(type);
    const simple = decimal ? `DECIMAL(${decimal.precision}, ${decimal.scale})` : SQL_TYPES.get(type);
    if (simple) return simple;
    if (fixedLength(type) !== undefined) return 'BLOB';
  } else if (type.type === 'map') {
    return `MAP(${sqlType(type.key)}, ${sqlType(type.value)})`;
  } else if (type.type === 'list') {
    return `${sqlType(type.element)}[]`;
  } else if (type.type === 'struct') {
    return `STRUCT(${type.fields.map((field) => `${identifier(field.name)} ${sqlType(field.type)}`).join(', ')})`;
  }
  throw new LakehouseError('unsupported_type', 'A column has a type that is not supported');
}

/** The value of COPY's FIELD_IDS that gives every field, nested ones included, its id. */
export function fieldIdsLiteral(fields: readonly Field[]): string {
  const value = (id: number, type: FieldType): string => {
    if (typeof type === 'string') return String(id);
    const inner = innerFields(type).map((field) => `${identifier(field.name)}: ${value(field.id, field.type)}`);
    return `{__duckdb_field_id: ${id}, ${inner.join(', ')}}`;
  };
  return `{${fields.map((field) => `${identifier(field.name)}: ${value(field.id, field.type)}`).join(', ')}}`;
}
