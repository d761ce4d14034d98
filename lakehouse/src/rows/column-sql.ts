import { identifier, sqlType } from '../duckdb/duckdb-sql.ts';
import type { ParquetNode } from '../duckdb/parquet-shape.ts';
import { type Field, type FieldType, innerFields } from '../schema/types.ts';

/**
 * Whether DuckDB's own cast from a file's column to a table type gives the right value: it matches what is nested by
 * name and without regard to case, the format by field id.
 */
export function castsRight(type: FieldType, node: ParquetNode): boolean {
  if (typeof type === 'string') return node.kind === 'leaf' && leafSql(type, '', node.type) === undefined;
  if (type.type !== node.kind) return false;
  const pairs = innerPairs(type, node);
  // A struct of other members than all of its own is one that DuckDB does not cast to.
  if (pairs.every(([, found]) => found === undefined)) return false;
  return pairs.every(([field, found]) => {
    if (type.type === 'struct') {
      const named = node.children.filter(({ name }) => name.toLowerCase() === field.name.toLowerCase());
      if (named.length !== (found ? 1 : 0) || named[0] !== found) return false;
    }
    return found === undefined || castsRight(field.type, found);
  });
}

/** What is nested in a type, with what the file has of it: members of structs go by their ids, the rest by its place. */
function innerPairs(type: Exclude<FieldType, string>, node: ParquetNode): [Field, ParquetNode | undefined][] {
  return innerFields(type).map((field, at) => [
    field,
    type.type === 'struct' ? node.children.find(({ id }) => id === field.id) : node.children[at],
  ]);
}

/** The SQL of a value of a table type, made by field ids from `sql`, which is a file's column as the file has it. */
export function valueSql(type: FieldType, node: ParquetNode | undefined, sql: string, depth = 0): string {
  const absent = `CAST(NULL AS ${sqlType(type)})`;
  if (node === undefined) return absent;
  if (typeof type === 'string') {
    if (node.kind !== 'leaf') return absent;
    return leafSql(type, sql, node.type) ?? `CAST(${sql} AS ${sqlType(type)})`;
  }
  if (type.type !== node.kind) return absent;
  const pairs = innerPairs(type, node);
  const item = `x${depth}`;
  const inner = (at: number, of: string): string => {
    const [field, found] = pairs[at]!;
    return valueSql(field.type, found, of, depth + 1);
  };
  if (type.type === 'list') return `list_transform(${sql}, lambda ${item}: ${inner(0, item)})`;
  if (type.type === 'map') {
    const entry = `struct_pack(k := ${inner(0, `${item}.key`)}, v := ${inner(1, `${item}.value`)})`;
    return `map_from_entries(list_transform(map_entries(${sql}), lambda ${item}: ${entry}))`;
  }
  const members = type.fields.map(({ name }, at) => {
    const found = pairs[at]?.[1];
    return `${identifier(name)} := ${inner(at, found === undefined ? '' : `${sql}.${identifier(found.name)}`)}`;
  });
  return `CASE WHEN ${sql} IS NULL THEN ${absent} ELSE struct_pack(${members.join(', ')}) END`;
}

/** A leaf that DuckDB's cast would get wrong, since its writer did not say what the bytes are; undefined for others. */
function leafSql(type: FieldType, sql: string, fileType: string): string | undefined {
  if (fileType === 'BLOB' && type === 'string') return `decode(${sql})`;
  if (fileType === 'BLOB' && type === 'uuid') return `CAST(hex(${sql}) AS UUID)`;
  if (fileType === 'VARCHAR' && (type === 'binary' || String(type).startsWith('fixed'))) return `encode(${sql})`;
  return undefined;
}
