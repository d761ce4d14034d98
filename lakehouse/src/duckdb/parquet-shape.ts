import type { DuckDBConnection } from '@duckdb/node-api';
import { LakehouseError } from '../error/error.ts';
import { createLru } from '../store/lru.ts';
import { identifier, literal } from './duckdb-sql.ts';

/** A column of a Parquet file, or what is nested in one: an element has the name `element`, a map's `key` and `value`. */
export type ParquetNode = {
  readonly name: string;
  /** Its field id, if the file's writer gave it one. */
  readonly id: number | undefined;
  readonly kind: 'leaf' | 'struct' | 'list' | 'map';
  /** DuckDB's type of a leaf. */
  readonly type: string;
  readonly children: readonly ParquetNode[];
};

/** The columns of a file. Files of one layout share one object. */
export type ParquetShape = { readonly columns: readonly ParquetNode[]; readonly hasIds: boolean };

/** A row of `parquet_schema`: a node of the file's tree, in depth-first order. */
type Row = {
  readonly file: string;
  readonly name: string;
  readonly repetition: string;
  readonly children: number;
  readonly annotation: string;
  readonly id: number | undefined;
  readonly type: string;
};
type RawNode = Row & { readonly nodes: readonly RawNode[] };

/** Columns of files that are remembered, together. */
const REMEMBERED_COLUMNS = 200_000;
/** Files whose columns one statement asks for. */
const FILES_AT_ONCE = 500;

export type ShapeReader = (paths: readonly string[]) => Promise<(path: string) => ParquetShape>;

/** Reads the layouts of files, and remembers them: a path must always name the same bytes. */
export function shapeReader(connection: DuckDBConnection): ShapeReader {
  const known = createLru<ParquetShape>(REMEMBERED_COLUMNS);
  const interned = new Map<string, WeakRef<ParquetShape>>();
  return async (paths) => {
    const found = new Map<string, ParquetShape>();
    const unknown: string[] = [];
    for (const path of new Set(paths)) {
      const shape = known.get(path);
      if (shape) found.set(path, shape);
      else unknown.push(path);
    }
    for (let from = 0; from < unknown.length; from += FILES_AT_ONCE) {
      const rows = await readRows(connection, unknown.slice(from, from + FILES_AT_ONCE));
      for (const [path, ofFile] of Map.groupBy(rows, ({ file }) => file)) {
        const text = JSON.stringify(ofFile.map(({ file: _same, ...row }) => row));
        const shape = interned.get(text)?.deref() ?? shapeOf(ofFile);
        interned.set(text, new WeakRef(shape));
        known.set(path, shape, ofFile.length);
        found.set(path, shape);
      }
    }
    return (path) => {
      const shape = found.get(path);
      if (!shape) throw new LakehouseError('parquet_invalid', 'A Parquet file has no columns');
      return shape;
    };
  };
}

async function readRows(connection: DuckDBConnection, paths: readonly string[]): Promise<Row[]> {
  const reader = await connection.runAndReadAll(
    `SELECT file_name, name, coalesce(repetition_type, ''), coalesce(num_children, 0)::INTEGER,
      concat_ws(' ', converted_type, logical_type), field_id::INTEGER, coalesce(duckdb_type, '')
      FROM parquet_schema([${paths.map(literal).join(', ')}])`,
  );
  return reader.getRows().map(([file, name, repetition, children, annotation, id, type]) => ({
    file: String(file),
    name: String(name),
    repetition: String(repetition),
    children: Number(children),
    annotation: String(annotation),
    id: typeof id === 'number' ? id : undefined,
    type: String(type),
  }));
}

function shapeOf(rows: readonly Row[]): ParquetShape {
  let at = 0;
  const take = (): RawNode => {
    const row = rows[at++];
    if (!row) throw new LakehouseError('parquet_invalid', 'The schema of a Parquet file is cut short');
    return { ...row, nodes: Array.from({ length: row.children }, take) };
  };
  return { columns: take().nodes.map((node) => nodeOf(node)), hasIds: rows.some(({ id }) => id !== undefined) };
}

/** A node without the groups that lists and maps are made of; backward compatible by the rules of Parquet's LogicalTypes. */
function nodeOf(raw: RawNode, name = raw.name): ParquetNode {
  const { id, type } = raw;
  const [inner] = raw.nodes;
  const common = { name, id };
  if (/LIST|List/.test(raw.annotation) && inner?.repetition === 'REPEATED') {
    const [only] = inner.nodes;
    const isElement = inner.nodes.length !== 1 || inner.name === 'array' || inner.name === `${raw.name}_tuple`;
    const element = only === undefined || isElement ? inner : only;
    return { ...common, kind: 'list', type: '', children: [nodeOf(element, 'element')] };
  }
  if (/MAP|Map/.test(raw.annotation) && inner?.nodes.length === 2) {
    const [key, value] = inner.nodes as [RawNode, RawNode];
    return { ...common, kind: 'map', type: '', children: [nodeOf(key, 'key'), nodeOf(value, 'value')] };
  }
  if (raw.repetition === 'REPEATED' && name !== 'element') {
    throw new LakehouseError('unsupported_type', 'A Parquet file has a repeated column that is no list');
  }
  if (raw.nodes.length === 0) return { ...common, kind: 'leaf', type, children: [] };
  return { ...common, kind: 'struct', type: '', children: raw.nodes.map((node) => nodeOf(node)) };
}

/** DuckDB's type of a column as the file has it. */
export function nodeType({ kind, type, children }: ParquetNode): string {
  const [first, second] = children;
  if (kind === 'struct')
    return `STRUCT(${children.map((node) => `${identifier(node.name)} ${nodeType(node)}`).join(', ')})`;
  if (kind === 'list' && first) return `${nodeType(first)}[]`;
  if (kind === 'map' && first && second) return `MAP(${nodeType(first)}, ${nodeType(second)})`;
  return type;
}
