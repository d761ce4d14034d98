import { identifier, literal, sqlType } from '../duckdb/duckdb-sql.ts';
import { nodeType, type ParquetShape } from '../duckdb/parquet-shape.ts';
import { castsRight, valueSql } from '../rows/column-sql.ts';
import { column, hasDeletes, liveRowsSql, type RowSource, type Shapes } from '../rows/live-rows.ts';
import { mappingOfFields, withMappedIds } from '../rows/name-mapping.ts';
import type { Field } from '../schema/types.ts';

/**
 * The rows of an input under the names of its columns. Files are read plainly and renamed: the option `schema` hides their
 * row counts from DuckDB's optimiser, which costs up to nine times in a join. Deletes, and names that DuckDB cannot tell
 * apart, are read as previews do.
 */
export function inputViewSql(source: RowSource, fields: readonly Field[], shapes: Shapes): string {
  if (source.files.length === 0) {
    const none = fields.map((field) => `CAST(NULL AS ${sqlType(field.type)}) AS ${identifier(field.name)}`);
    return `SELECT ${none.join(', ')} WHERE false`;
  }
  const groups = Map.groupBy(source.files, ({ path }) => shapes(path));
  if (hasDeletes(source) || ![...groups.keys()].every(hasDistinctNames)) {
    const named = fields.map((field) => `${column(field)} AS ${identifier(field.name)}`);
    return `SELECT ${named.join(', ')} FROM (${liveRowsSql(source, fields, shapes)})`;
  }
  const plain = [...groups].map(([shape, files]) => {
    const paths = files.map(({ path }) => literal(path)).join(', ');
    return `SELECT ${selected(shape, fields, source.mapping)} FROM read_parquet([${paths}], hive_partitioning = false)`;
  });
  return plain.join(' UNION ALL ');
}

function hasDistinctNames({ columns }: ParquetShape): boolean {
  return new Set(columns.map(({ name }) => name.toLowerCase())).size === columns.length;
}

function selected(shape: ParquetShape, fields: readonly Field[], mapping: RowSource['mapping']): string {
  const columns = shape.hasIds ? shape.columns : withMappedIds(shape.columns, mapping ?? mappingOfFields(fields));
  const one = (field: Field): string => {
    const node = columns.find(({ id }) => id === field.id);
    const type = sqlType(field.type);
    if (node === undefined) return `CAST(NULL AS ${type})`;
    const name = identifier(node.name);
    if (!castsRight(field.type, node)) return valueSql(field.type, node, name);
    return nodeType(node) === type ? name : `CAST(${name} AS ${type})`;
  };
  return fields.map((field) => `${one(field)} AS ${identifier(field.name)}`).join(', ');
}
