import { identifier, literal } from '../duckdb/duckdb-sql.ts';
import type { Field, TableSchema } from '../schema/types.ts';
import { type ColumnSql, castSql, errorsSql, fieldSql, misfitsSql } from '../stage/stage-column.ts';
import { type BareLines, dataFields, type LineShape, REFUSALS, type Reading } from '../stage/stage-sql.ts';

/** The time by which the witness is told from a row: no row is read then. */
const WITNESS_TIME = -(2 ** 53);
/** A witness of a text: DuckDB then reads every value as its text. No member beside the data has this value. */
const TEXT = '\u0001witness';

type Node = { [name: string]: unknown };

const partsOf = ({ data, extractedAt, changes, file }: LineShape): (readonly string[])[] =>
  [data, extractedAt, changes, file].filter((path) => path !== undefined);

function put(root: Node, path: readonly string[], value: unknown): void {
  const [name = '', ...deeper] = path;
  if (deeper.length === 0) root[name] = value;
  else {
    const below = root[name];
    const node = typeof below === 'object' && below !== null && !Array.isArray(below) ? (below as Node) : {};
    root[name] = node;
    put(node, deeper, value);
  }
}

// A double is read as one, for printing and reading its digits again is a fifth of all work; everything else as text.
const witnessOf = (field: Field): unknown => (field.type === 'double' ? 0.5 : TEXT);

/**
 * The line that makes DuckDB strict: told a spool's columns by name, DuckDB drops every other member in silence, but
 * told by a first line of the same file, it refuses a spool with a member that this line lacks. It has all columns of
 * the schema, and beside the data what the first real line has, as far as that is known.
 */
export function witnessLine(schema: TableSchema, shape: LineShape, first: unknown): string {
  return JSON.stringify(witness(schema, shape, first));
}

/** The same for lines that are data alone; undefined where no witness differs from a row, or names are alike to DuckDB. */
export function bareWitness(schema: TableSchema): string | undefined {
  const fields = dataFields(schema);
  const areDistinct = new Set(fields.map(({ name }) => name.toLowerCase())).size === fields.length;
  return areDistinct && markOf(fields) ? JSON.stringify(dataWitness(schema)) : undefined;
}

const dataWitness = (schema: TableSchema): Node =>
  Object.fromEntries(dataFields(schema).map((field) => [field.name, witnessOf(field)]));
/** The field by whose value a bare witness differs from a row. */
const markOf = (fields: readonly Field[]): Field | undefined => fields.find(({ type }) => type !== 'double');

function witness(schema: TableSchema, shape: LineShape, first: unknown): Node {
  const root: Node = {};
  const copy = (from: unknown, path: readonly string[]): void => {
    if (typeof from !== 'object' || from === null || Array.isArray(from)) return;
    for (const [name, value] of Object.entries(from)) {
      const at = [...path, name];
      const onWay = partsOf(shape).some(
        (goal) => goal.length > at.length && at.every((step, index) => goal[index] === step),
      );
      if (onWay) copy(value, at);
      else put(root, at, TEXT);
    }
  };
  copy(first, []);
  put(root, shape.data, dataWitness(schema));
  put(root, shape.extractedAt, WITNESS_TIME);
  if (shape.changes) put(root, shape.changes, [{ field: TEXT, change: TEXT, reason: TEXT }]);
  if (shape.file) put(root, shape.file, TEXT);
  return root;
}

const memberSql = (path: readonly string[]): string => path.map(identifier).join('.');

function asked(field: Field, index: number, json: readonly string[]): ColumnSql {
  if (field.type === 'double') return { value: `r${index}` };
  return fieldSql(`r${index}`, field, json, `c${index}`);
}

/**
 * The rows of a spool that begins with a witness: as `rowsSql` answers them, at two thirds of its cost. What it does not
 * type exactly ends the statement: a member that no column holds or that comes twice, a double that is none, one that
 * is infinite, and one from which on integers are not exact.
 */
export function strictRowsSql(reading: Reading, first: unknown): string {
  const { shape, schema, runId, key, bare } = reading;
  const fields = dataFields(schema);
  const sql = fields.map((field, index) => asked(field, index, reading.json));
  const columns = fields.map((field, index) => {
    const { misfit, rounded, reason } = sql[index]!;
    const typed = field.type === 'double' ? `r${index}` : `c${index}`;
    const value = misfit ? `if(m${index}, NULL, ${typed})` : typed;
    return {
      field,
      text: `r${index}`,
      sql: {
        value,
        ...(misfit ? { misfit: `m${index}` } : {}),
        ...(rounded ? { rounded: `l${index}` } : {}),
        ...(reason ? { reason } : {}),
      },
    };
  });
  const refused = [
    ...fields.flatMap(({ type }, index) =>
      type === 'double' ? [{ when: `abs(r${index}) >= ${2 ** 53}`, why: REFUSALS.doubtful }] : [],
    ),
    ...columns.flatMap(({ field, sql: { value } }) =>
      key.includes(field.id) ? [{ when: `${value} IS NULL`, why: REFUSALS.key }] : [],
    ),
  ];
  const errors = errorsSql(columns, bare === undefined ? shape.changes && 'changes' : undefined);
  const guards = refused.map(({ when, why }) => `WHEN ${when} THEN error(${literal(why)})`).join(' ');
  const output = new Map([
    ...columns.map(({ field, sql: { value } }) => [field.name, value] as const),
    ['_extracted_at', 'make_timestamptz(time * 1000)'],
    ['_run_id', literal(runId)],
    ['_errors', guards ? `CASE ${guards} ELSE ${errors} END` : errors],
    ['_extra', misfitsSql(columns)],
    ['_file', 'file_text'],
  ]);
  const selected = schema.fields.map((field) => `${output.get(field.name)} AS ${identifier(field.name)}`).join(', ');
  const verdicts = sql.flatMap(({ misfit, rounded }, index) => [
    ...(misfit ? [`coalesce(${misfit}, false) AS m${index}`] : []),
    ...(rounded ? [`coalesce(${rounded}, false) AS l${index}`] : []),
  ]);
  const casts = fields.map(
    ({ type }, index) => `${type === 'double' ? 'NULL' : castSql(`r${index}`, type)} AS c${index}`,
  );
  return `SELECT ${selected} FROM (SELECT *, ${verdicts.join(', ') || '0'}
    FROM (SELECT *, ${casts.join(', ')}
      FROM (${bare === undefined ? recordTexts(reading, first) : bareTexts(reading, bare)})))`;
}

const readSql = ({ source, maxLineBytes }: Reading): string =>
  `read_ndjson(${literal(source)}, records = true, sample_size = 1, map_inference_threshold = -1,
            field_appearance_threshold = 0, maximum_object_size = ${maxLineBytes})`;

/** The texts of the columns as `r0`, `r1`, …, and what a row says beside them. */
function recordTexts(reading: Reading, first: unknown): string {
  const { shape, schema } = reading;
  // DuckDB looks for unknown members only where no column of the file is left out of the query.
  const others = Object.keys(witness(schema, shape, first))
    .filter((name) => !partsOf(shape).some(([top]) => top === name))
    .map((name) => `${identifier(name)} IS DISTINCT FROM ${literal(TEXT)}`);
  const texts = dataFields(schema).map((field, index) => `d.${identifier(field.name)} AS r${index}`);
  const data = memberSql(shape.data);
  return `SELECT time, changes, file_text, ${texts.join(', ')}
        FROM (SELECT if(${data} IS NULL, error(${literal(REFUSALS.noData)}), ${data}) AS d,
            ${memberSql(shape.extractedAt)} AS time, ${shape.changes ? memberSql(shape.changes) : 'NULL'} AS changes,
            ${shape.file ? memberSql(shape.file) : 'NULL::VARCHAR'} AS file_text
          FROM ${readSql(reading)}
          WHERE ${[`${memberSql(shape.extractedAt)} IS DISTINCT FROM ${WITNESS_TIME}`, ...others].join(' AND ')})`;
}

/** The same of lines that are data alone. */
function bareTexts(reading: Reading, { extractedAt, file }: BareLines): string {
  const fields = dataFields(reading.schema);
  const texts = fields.map((field, index) => `${identifier(field.name)} AS r${index}`);
  const name = file === undefined ? 'NULL::VARCHAR' : literal(file);
  return `SELECT ${extractedAt}::BIGINT AS time, NULL AS changes, ${name} AS file_text, ${texts.join(', ')}
        FROM ${readSql(reading)} WHERE ${identifier(markOf(fields)?.name ?? '')} IS DISTINCT FROM ${literal(TEXT)}`;
}
