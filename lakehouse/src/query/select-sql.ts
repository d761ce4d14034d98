import { sqlType } from '../duckdb/duckdb-sql.ts';
import { column, filesSql, hasDeletes, liveRowsSql, POSITION, type Shapes } from '../rows/live-rows.ts';
import type { Condition } from '../scan/condition.ts';
import type { Field } from '../schema/types.ts';
import type { CountQuery, PageQuery, ReadOrder } from './protocol.ts';

/** A parameter of a statement: the text of a constant, a place, or what the page before ended with. */
export type Param = { readonly text: string } | { readonly place: bigint } | { readonly key: true };

/** A statement and its parameters, `$1` first. */
export type Statement = { readonly sql: string; readonly params: readonly Param[] };

const OPERATORS: Readonly<Record<string, string>> = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' };

function conditionSql({ field, op, text }: Condition, param: (one: Param) => string): string {
  const name = column(field);
  if (text === undefined) return `${name} IS ${op === 'is_null' ? '' : 'NOT '}NULL`;
  if (op === 'contains' || op === 'starts_with') return `${op}(${name}, ${param({ text })})`;
  const compared = `${name} ${OPERATORS[op]} CAST(${param({ text })} AS ${sqlType(field.type)})`;
  const mayBeNan = field.type === 'float' || field.type === 'double';
  return mayBeNan && (op === 'gt' || op === 'ge') ? `(${compared} AND NOT isnan(${name}))` : compared;
}

/** A column as it is shown: of a binary value, whole or nested in nothing, only its beginning. */
function shownSql(field: Field, maxBinaryBytes: number | undefined): string {
  const name = column(field);
  if (maxBinaryBytes === undefined || field.type !== 'binary') return name;
  return `${name}[1:${Math.trunc(maxBinaryBytes)}] AS ${name}`;
}

/**
 * The rows of one page and one more, with their places: in reading order, which DuckDB keeps unless rows pass a join, or
 * in the wanted order with reading order among equals. `key` says what the page before ended with when there is an order: a value, or NULL.
 */
export function pageStatement(query: PageQuery, shapes: Shapes, key: 'value' | 'null' | undefined): Statement {
  const { source, fields, conditions, order, after, limit, maxBinaryBytes } = query;
  const params: Param[] = [];
  const param = (one: Param): string => `$${params.push(one)}`;
  const where = conditions.map((condition) => conditionSql(condition, param));
  if (after) {
    const behind = `(${POSITION.join(', ')}) > (${param({ place: BigInt(after.index) })}, ${param({ place: BigInt(after.row) })})`;
    where.push(order && key ? keysetSql(order, key === 'null' ? undefined : param({ key: true }), behind) : behind);
  }
  const furthest = furthestRow(query);
  if (furthest !== undefined) where.push(`${POSITION[1]} <= ${param({ place: furthest })}`);
  const read = [...fields, ...conditions.map(({ field }) => field), ...(order ? [order.field] : [])];
  const sorted = order ? [`${column(order.field)} ${order.descending ? 'DESC' : 'ASC'} NULLS LAST`] : [];
  const sorting = order || hasDeletes(source) ? ` ORDER BY ${[...sorted, ...POSITION].join(', ')}` : '';
  const filter = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
  const shown = [...fields.map((field) => shownSql(field, maxBinaryBytes)), ...POSITION].join(', ');
  const from = liveRowsSql(source, distinct(read), shapes);
  const sql = `SELECT ${shown} FROM (SELECT * FROM (${from}) found${filter}${sorting} LIMIT ${Math.trunc(limit) + 1}) page`;
  return { sql, params };
}

/**
 * A place in every file behind which a page has no row: before it there are enough rows even if all places of all
 * deletes were among them. It spares the sort, which deletes make needed, whole files. Undefined where none is known.
 */
function furthestRow({ source, conditions, order, after, limit }: PageQuery): bigint | undefined {
  if (source.positions.length === 0 || source.keys.length > 0 || conditions.length > 0 || order) return undefined;
  const deleted = source.positions.reduce((sum, { rows }) => sum + rows, 0n);
  return (after === undefined ? 0n : BigInt(after.row) + 1n) + BigInt(Math.trunc(limit)) + deleted;
}

function keysetSql(order: ReadOrder, key: string | undefined, behind: string): string {
  const name = column(order.field);
  if (key === undefined) return `(${name} IS NULL AND ${behind})`;
  return `(${name} IS NULL OR ${name} ${order.descending ? '<' : '>'} ${key} OR (${name} = ${key} AND ${behind}))`;
}

/** The value of one column in one row of a file. */
export function keyStatement(
  { source, order }: PageQuery,
  at: { index: number; row: string },
  shapes: Shapes,
): Statement {
  const file = source.files[at.index];
  const fields = order ? [order.field] : [];
  const rows = filesSql(file ? [file] : [], { fields, mapping: source.mapping, shapes });
  return {
    sql: `SELECT ${fields.map(column)} FROM (${rows}) WHERE ${POSITION[1]} = $1`,
    params: [{ place: BigInt(at.row) }],
  };
}

/** The values of a column with their numbers of rows, the most frequent first. */
export function countStatement({ source, field, conditions, limit }: CountQuery, shapes: Shapes): Statement {
  const { filter, params } = whereOf(conditions);
  const read = distinct([field, ...conditions.map((condition) => condition.field)]);
  const name = column(field);
  const sql = `SELECT ${name}, count(*) FROM (${liveRowsSql(source, read, shapes)}) found${filter}
    GROUP BY ${name} ORDER BY count(*) DESC, ${name} NULLS LAST LIMIT ${Math.trunc(limit)}`;
  return { sql, params };
}

/** The filter of conditions alone, over columns as `column` names them. */
export function whereOf(conditions: readonly Condition[]): { filter: string; params: readonly Param[] } {
  const params: Param[] = [];
  const where = conditions.map((condition) => conditionSql(condition, (one) => `$${params.push(one)}`));
  return { filter: where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '', params };
}

function distinct(fields: readonly Field[]): Field[] {
  return [...new Map(fields.map((field) => [field.id, field])).values()];
}
