import type { Condition } from '../condition.ts';
import { readParquet, sqlType } from '../duckdb-sql.ts';
import type { Field } from '../types.ts';
import type { QueryRequest } from './protocol.ts';

/** A parameter of a statement: the text of a constant, a place, or what the page before ended with. */
export type Param = { readonly text: string } | { readonly place: bigint } | { readonly key: true };

/** A statement and its parameters, `$1` first. */
export type Statement = { readonly sql: string; readonly params: readonly Param[] };

/** The columns behind the wanted ones: which file of the list a row is from, and its place there. */
export const POSITION = ['file_index', 'file_row_number'] as const;

// Columns go by their field ids, so that no name of a table is ever part of a statement.
const column = (field: Field): string => `c${field.id}`;

function source(paths: readonly string[], fields: readonly Field[]): string {
  const distinct = new Map(fields.map((field) => [field.id, { ...field, name: column(field) }]));
  return readParquet(paths, [...distinct.values()]);
}

const OPERATORS: Readonly<Record<string, string>> = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' };

function conditionSql({ field, op, text }: Condition, param: (one: Param) => string): string {
  const name = column(field);
  if (text === undefined) return `${name} IS ${op === 'is_null' ? '' : 'NOT '}NULL`;
  if (op === 'contains' || op === 'starts_with') return `${op}(${name}, ${param({ text })})`;
  const compared = `${name} ${OPERATORS[op]} CAST(${param({ text })} AS ${sqlType(field.type)})`;
  const mayBeNan = field.type === 'float' || field.type === 'double';
  return mayBeNan && (op === 'gt' || op === 'ge') ? `(${compared} AND NOT isnan(${name}))` : compared;
}

/**
 * The rows of one page and one more, with their places: in reading order, which DuckDB keeps, or in the wanted order
 * with reading order among equals. `key` says what the page before ended with when there is an order: a value, or NULL.
 */
export function pageStatement(request: QueryRequest, key: 'value' | 'null' | undefined): Statement {
  const { paths, fields, conditions, order, after, limit } = request;
  const params: Param[] = [];
  const param = (one: Param): string => `$${params.push(one)}`;
  const where = conditions.map((condition) => conditionSql(condition, param));
  if (after) {
    const behind = `(${POSITION.join(', ')}) > (${param({ place: BigInt(after.index) })}, ${param({ place: BigInt(after.row) })})`;
    where.push(order && key ? keysetSql(order, key === 'null' ? undefined : param({ key: true }), behind) : behind);
  }
  const read = [...fields, ...conditions.map(({ field }) => field), ...(order ? [order.field] : [])];
  const sorting = order
    ? ` ORDER BY ${[`${column(order.field)} ${order.descending ? 'DESC' : 'ASC'} NULLS LAST`, ...POSITION].join(', ')}`
    : '';
  const filter = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
  const sql = `SELECT ${[...fields.map(column), ...POSITION].join(', ')} FROM ${source(paths, read)}${filter}${sorting} LIMIT ${Math.trunc(limit) + 1}`;
  return { sql, params };
}

function keysetSql(order: NonNullable<QueryRequest['order']>, key: string | undefined, behind: string): string {
  const name = column(order.field);
  if (key === undefined) return `(${name} IS NULL AND ${behind})`;
  return `(${name} IS NULL OR ${name} ${order.descending ? '<' : '>'} ${key} OR (${name} = ${key} AND ${behind}))`;
}

/** The value of one column in one row of a file. */
export function keyStatement(path: string, field: Field, row: string): Statement {
  const sql = `SELECT ${column(field)} FROM ${source([path], [field])} WHERE ${POSITION[1]} = $1`;
  return { sql, params: [{ place: BigInt(row) }] };
}
