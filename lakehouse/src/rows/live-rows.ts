import { literal, sqlType } from '../duckdb/duckdb-sql.ts';
import { nodeType, type ParquetShape } from '../duckdb/parquet-shape.ts';
import { DELETED_PATH_ID } from '../manifest/match-deletes.ts';
import type { Field } from '../schema/types.ts';
import { castsRight, valueSql } from './column-sql.ts';
import { type MappedField, mappingOfFields, withMappedIds } from './name-mapping.ts';

/** A data file under its local path; `name` is its location as `pathSql` spells it. */
export type SourceFile = {
  readonly path: string;
  readonly name: string;
  readonly sequence: bigint;
  /** Equal for files of one partition. */
  readonly partition: string;
};

/** A file of position deletes under its local path, and how many places it has. */
export type SourcePositions = { readonly path: string; readonly sequence: bigint; readonly rows: bigint };

/** A file of equality deletes under its local path; `partition` is absent when it holds for all of them. */
export type SourceKeys = {
  readonly path: string;
  readonly sequence: bigint;
  readonly partition: string | undefined;
  readonly fields: readonly Field[];
};

/** Data files, in reading order, and the deletes that go with any of them. */
export type RowSource = {
  readonly files: readonly SourceFile[];
  readonly positions: readonly SourcePositions[];
  readonly keys: readonly SourceKeys[];
  /** By which the columns of files without field ids are told; by the names of fields when it is absent. */
  readonly mapping: readonly MappedField[] | undefined;
};

/** The layout of the file under a path. */
export type Shapes = (path: string) => ParquetShape;

/** The columns behind the wanted ones: which file of the list a row is from, and its place there. */
export const POSITION = ['file_index', 'file_row_number'] as const;

const DELETED_PATH: Field = { id: DELETED_PATH_ID, name: 'file_path', required: true, type: 'string' };
const DELETED_ROW: Field = { id: 2147483545, name: 'pos', required: true, type: 'long' };
/** No field has this id; reading it alone is how rows are counted. */
const NO_FIELD_ID = -1;

/** The name of a column in every statement: no name of a table is ever part of one. */
export const column = (field: Pick<Field, 'id'>): string => `c${field.id}`;

/** All files that a source reads. */
export function sourcePaths({ files, positions, keys }: RowSource): string[] {
  return [...files, ...positions, ...keys].map(({ path }) => path);
}

/** A location without the letters in which the spellings of the same location differ. */
export function pathName(location: string): string {
  return location.replace(/^s3[an]:/i, 's3:').replace(/^file:(\/\/)?/i, '');
}

const pathSql = (sql: string): string =>
  `regexp_replace(regexp_replace(${sql}, '^s3[an]:', 's3:', 'i'), '^file:(//)?', '', 'i')`;

/** Whether rows pass a join to be read, which leaves them in no order. */
export function hasDeletes({ positions, keys }: RowSource): boolean {
  return positions.length > 0 || keys.length > 0;
}

/**
 * A relation of the live rows of a source, with the wanted fields as `column` names them and `POSITION`: in reading
 * order unless the source has deletes.
 */
export function liveRowsSql(source: RowSource, fields: readonly Field[], shapes: Shapes): string {
  const { files, positions, keys, mapping } = source;
  const read = distinct([...fields, ...keys.flatMap((one) => one.fields)]);
  const rows = filesSql(files, { fields: read, mapping, shapes });
  if (!hasDeletes(source)) return rows;
  const joins = [
    ...(positions.length === 0 ? [] : [positionsJoin(source, shapes)]),
    ...keyGroups(keys).map((group, at) => keysJoin(source, group, { name: `keys${at}`, shapes })),
  ];
  return `SELECT live.* FROM (${rows}) live ${joins.join(' ')}`;
}

/** How files of one layout are read: what is selected, and the schema that DuckDB is told. */
type Layout = { readonly select: string; readonly schema: string };

/** The rows of files with their places, deleted ones included. */
export function filesSql(
  files: readonly { readonly path: string }[],
  { fields, mapping, shapes }: { fields: readonly Field[]; mapping?: RowSource['mapping']; shapes: Shapes },
): string {
  const layouts = new Map<ParquetShape, Layout>();
  const groups: (Layout & { readonly paths: string[]; readonly first: number })[] = [];
  for (const [at, { path }] of files.entries()) {
    const shape = shapes(path);
    const layout = layouts.get(shape) ?? layoutOf(shape, fields, mapping);
    layouts.set(shape, layout);
    const group = groups.at(-1);
    if (group?.select === layout.select && group.schema === layout.schema) group.paths.push(path);
    else groups.push({ ...layout, paths: [path], first: at });
  }
  return groups
    .map(({ select, schema, paths, first }) => {
      const place = `CAST(file_index AS BIGINT) + ${first} AS file_index, file_row_number`;
      return `SELECT ${select}${place} FROM read_parquet([${paths.map(literal).join(', ')}], schema = MAP {${schema}})`;
    })
    .join(' UNION ALL ');
}

function layoutOf(shape: ParquetShape, fields: readonly Field[], mapping: RowSource['mapping']): Layout {
  const columns = shape.hasIds ? shape.columns : withMappedIds(shape.columns, mapping ?? mappingOfFields(fields));
  const schema: string[] = [];
  const selected: string[] = [];
  for (const field of fields) {
    const name = column(field);
    const node = columns.find(({ id }) => id === field.id);
    if (node === undefined) {
      selected.push(`CAST(NULL AS ${sqlType(field.type)}) AS ${name}, `);
      continue;
    }
    const right = castsRight(field.type, node);
    const type = right ? sqlType(field.type) : nodeType(node);
    const key = shape.hasIds ? String(field.id) : literal(node.name);
    schema.push(`${key}: {name: '${name}', type: ${literal(type)}, default_value: NULL}`);
    selected.push(right ? `${name}, ` : `${valueSql(field.type, node, name)} AS ${name}, `);
  }
  if (schema.length === 0) schema.push(`${NO_FIELD_ID}: {name: 'none', type: 'INTEGER', default_value: NULL}`);
  return { select: selected.join(''), schema: schema.join(', ') };
}

function distinct(fields: readonly Field[]): Field[] {
  return [...new Map(fields.map((field) => [field.id, field])).values()];
}

/** What a list says of the file of an index. */
const ofFile = (values: readonly string[], type: string, index: string): string =>
  `CAST([${values.join(', ')}] AS ${type}[])[${index} + 1]`;

const sequencesOf = (files: readonly { readonly sequence: bigint }[]): string[] =>
  files.map(({ sequence }) => String(sequence));

/** Takes away the rows whose places are in a file of deletes that is not older than their file. */
function positionsJoin({ files, positions }: RowSource, shapes: Shapes): string {
  const [path, row] = [column(DELETED_PATH), column(DELETED_ROW)];
  const deleted = filesSql(positions, { fields: [DELETED_PATH, DELETED_ROW], shapes });
  const names = files.map(({ name }, at) => `(${literal(name)}, ${at})`).join(', ');
  const notOlder = `${ofFile(sequencesOf(positions), 'BIGINT', 'deleted.file_index')} >= ${ofFile(sequencesOf(files), 'BIGINT', 'named.file_index')}`;
  return `ANTI JOIN (SELECT named.file_index, deleted.${row} AS place FROM (${deleted}) deleted
    JOIN (VALUES ${names}) named(name, file_index) ON ${pathSql(`deleted.${path}`)} = named.name WHERE ${notOlder}) gone
    ON gone.file_index = live.file_index AND gone.place = live.file_row_number`;
}

/** Files of equality deletes that name rows by the same fields, and hold for one partition each or for all. */
function keyGroups(keys: readonly SourceKeys[]): SourceKeys[][] {
  const groups = Map.groupBy(
    keys,
    ({ fields, partition }) => `${fields.map(({ id }) => id).join()} ${partition !== undefined}`,
  );
  return [...groups.values()];
}

/** Takes away the rows that are equal to one of a newer file of deletes; NULL is equal to NULL. */
function keysJoin(
  { files, mapping }: RowSource,
  group: readonly SourceKeys[],
  { name, shapes }: { name: string; shapes: Shapes },
): string {
  const fields = group[0]?.fields ?? [];
  const deleted = filesSql(group, { fields, mapping, shapes });
  const limited = group[0]?.partition !== undefined;
  const partitions = group.map((one) => literal(one.partition ?? ''));
  const on = [
    ...fields.map((field) => `${name}.${column(field)} IS NOT DISTINCT FROM live.${column(field)}`),
    `${ofFile(sequencesOf(group), 'BIGINT', `${name}.file_index`)} > ${ofFile(sequencesOf(files), 'BIGINT', 'live.file_index')}`,
  ];
  if (limited) {
    const ofRow = ofFile(
      files.map(({ partition }) => literal(partition)),
      'VARCHAR',
      'live.file_index',
    );
    on.push(`${ofFile(partitions, 'VARCHAR', `${name}.file_index`)} = ${ofRow}`);
  }
  return `ANTI JOIN (${deleted}) ${name} ON ${on.join(' AND ')}`;
}
