import { identifier, literal, sqlType } from '../duckdb/duckdb-sql.ts';
import {
  type Column,
  decimalShape,
  type Field,
  type FieldType,
  fixedLength,
  parsePrimitive,
  type TableSchema,
} from '../schema/types.ts';
import { type ColumnSql, columnSql, errorsSql, joinedObjectsSql, misfitsSql } from '../stage/stage-column.ts';
import { dataFields } from '../stage/stage-sql.ts';
import { inDaySql } from './odd-times.ts';

/** A column of a Parquet file: its type in DuckDB's words, and DuckDB's name for one whose name differs in case alone. */
export type ParquetColumn = { readonly name: string; readonly type: string; readonly readAs?: string };

/** How a segment is read. */
export type SegmentReading = {
  /** The path of the Parquet file. */
  readonly source: string;
  readonly columns: readonly ParquetColumn[];
  /** The table's schema, meta columns included; columns that the file lacks become NULL. */
  readonly schema: TableSchema;
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly extractedAt: number;
  /** The name of the file that its rows are from. */
  readonly file?: string | undefined;
  /** Ids of fields that must hold a value. */
  readonly key: readonly number[];
};

const ISO = '%Y-%m-%dT%H:%M:%S.%f';
const ISO_NANOSECONDS = '%Y-%m-%dT%H:%M:%S.%n';
const INTEGERS: ReadonlySet<string> = new Set([
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
]);
const FLOATS: ReadonlySet<string> = new Set(['FLOAT', 'DOUBLE']);
const MOMENTS: ReadonlySet<string> = new Set(['TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS']);
const ZONED = 'TIMESTAMP WITH TIME ZONE';
/** The table types that hold every value of a Parquet column, beside those of the same name. */
const HELD_BY: ReadonlyMap<string, Column['type']> = new Map<string, Column['type']>([
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT'].map((type) => [type, 'int'] as const),
  ...['UINTEGER', 'BIGINT'].map((type) => [type, 'long'] as const),
  ['UBIGINT', 'decimal(38, 0)'],
  ...[...MOMENTS, 'TIMESTAMP_NS'].map((type) => [type, 'timestamp'] as const),
  [ZONED, 'timestamptz'],
  ['BLOB', 'binary'],
]);

const isNested = (type: string): boolean => /^(?:STRUCT|MAP)\(/.test(type) || type.endsWith(']');

/** The column that a table would have for a Parquet column: one that takes its values as they are, else text. */
export function heldBy({ name, type }: ParquetColumn): Column {
  return { name, type: HELD_BY.get(type) ?? parsePrimitive(type.toLowerCase()) ?? 'string' };
}

/**
 * The text of a value, as a RECORD line would have it: what both lanes hand to a column is then the same. NULL for NULL.
 */
function textSql(value: string, type: string): string {
  if (isNested(type)) return `to_json(${value})::VARCHAR`;
  if (MOMENTS.has(type)) return `strftime(${value}::TIMESTAMP, '${ISO}')`;
  switch (type) {
    case 'VARCHAR':
      return value;
    case 'FLOAT':
    case 'DOUBLE':
      // As DuckDB writes numbers of JSON; over its text, as a FLOAT has digits of its own when it becomes a DOUBLE.
      return `if(isfinite(${value}), to_json(${value}::VARCHAR::DOUBLE)::VARCHAR, ${value}::VARCHAR)`;
    case 'TIMESTAMP_NS':
      return `strftime(${value}, '${ISO_NANOSECONDS}')`;
    case ZONED: {
      const utc = `make_timestamp(epoch_us(if(isfinite(${value}), ${value}, NULL)))`;
      return `coalesce(strftime(${utc}, '${ISO}Z'), ${value}::VARCHAR)`;
    }
    case 'BLOB':
      return `base64(${value})`;
    default:
      return `${value}::VARCHAR`;
  }
}

/** The JSON text of a value, `null` for NULL. */
function jsonSql(value: string, type: string): string {
  const text = textSql(value, type);
  const quoted = `to_json(${text})::VARCHAR`;
  // The widest integers are texts, so that no reader of the JSON rounds them.
  const isPlain = isNested(type) || type === 'BOOLEAN' || (INTEGERS.has(type) && type !== 'UBIGINT');
  if (isPlain) return `coalesce(${text}, 'null')`;
  return `coalesce(${FLOATS.has(type) ? `if(isfinite(${value}), ${text}, ${quoted})` : quoted}, 'null')`;
}

const finite = (value: string, moment: string): ColumnSql => ({
  value: `if(isfinite(${value}), ${moment}, NULL)`,
  misfit: `(${value} IS NOT NULL AND NOT isfinite(${value}))`,
});

// DuckDB's own cast goes towards 1970, so that earlier moments would get a digit that they do not have.
function microsSql(value: string): ColumnSql {
  const beyond = `((epoch_ns(${value}) % 1000 + 1000) % 1000)`;
  const moment = `make_timestamp((epoch_ns(${value}) - ${beyond}) // 1000)`;
  return { ...finite(value, moment), rounded: `(${value} IS NOT NULL AND isfinite(${value}) AND ${beyond} <> 0)` };
}

const tried = (value: string, type: FieldType): ColumnSql => {
  const cast = `try_cast(${value} AS ${sqlType(type)})`;
  return { value: cast, misfit: `(${value} IS NOT NULL AND ${cast} IS NULL)` };
};

/**
 * The value of a column that is made from the Parquet value itself; undefined where only its text will do, because the
 * types differ in more than their width.
 */
function directSql(value: string, from: string, to: FieldType): ColumnSql | undefined {
  if (typeof to !== 'string') return isNested(from) ? tried(value, to) : undefined;
  const bytes = fixedLength(to);
  if (from === 'BLOB' && bytes !== undefined) {
    const fits = `octet_length(${value}) = ${bytes}`;
    return { value: `if(${fits}, ${value}, NULL)`, misfit: `(${value} IS NOT NULL AND NOT ${fits})` };
  }
  if ((to === 'int' || to === 'long') && INTEGERS.has(from)) return tried(value, to);
  if (to === 'timestamp' && MOMENTS.has(from)) return finite(value, `${value}::TIMESTAMP`);
  if (to === 'timestamp' && from === 'TIMESTAMP_NS') return microsSql(value);
  if (to === 'timestamptz' && from === ZONED) return finite(value, value);
  if (to === 'date' && from === 'DATE') return finite(value, value);
  const [wide, narrow] = [decimalShape(to), decimalShape(from.toLowerCase())];
  if (wide && narrow) {
    const fits = wide.scale >= narrow.scale && wide.precision - wide.scale >= narrow.precision - narrow.scale;
    return fits ? { value: `${value}::${sqlType(to)}` } : undefined;
  }
  return sqlType(to) === from ? { value } : undefined;
}

type TypedField = {
  readonly field: Field;
  /** What is read of the file under a name of ours. */
  readonly raw: string;
  /** Where the value was no value to begin with; undefined when there is no such value. */
  readonly odd?: string;
  /** The text of what is read. */
  readonly text: string;
  readonly sql: ColumnSql;
};

/** A column of the file without the values that are none, and where those are. */
function soundSql({ name, type, readAs = name }: ParquetColumn): { readonly value: string; readonly odd?: string } {
  const own = identifier(readAs);
  const inDay = inDaySql(own, type);
  if (inDay === undefined) return { value: own };
  const odd = `${inDay} IS DISTINCT FROM ${own}`;
  return { value: `if(${odd}, NULL, ${inDay})`, odd };
}

/** Each data column of the schema: what is read of the file under names of ours, and what is made of it. */
function typedFields({ columns, schema }: SegmentReading): TypedField[] {
  const found = new Map(columns.map((column) => [column.name, column]));
  return dataFields(schema).map((field, index) => {
    const column = found.get(field.name);
    if (column === undefined)
      return { field, raw: 'NULL', text: 'NULL', sql: { value: `NULL::${sqlType(field.type)}` } };
    const { type } = column;
    const { value, odd } = soundSql(column);
    const direct = directSql(`r${index}`, type, field.type);
    const raw = direct ? value : textSql(value, type);
    const text = direct ? textSql(`r${index}`, type) : `r${index}`;
    const sql = direct ?? columnSql(`r${index}`, field.type);
    if (odd === undefined) return { field, raw, text, sql };
    const misfit = sql.misfit === undefined ? `o${index}` : `(o${index} OR ${sql.misfit})`;
    return { field, raw, odd, text, sql: { ...sql, misfit } };
  });
}

/** What is read of the file for some columns, under names of ours. */
const readSql = (fields: readonly TypedField[]): string[] =>
  fields.flatMap(({ raw, odd }, index) => [
    `${raw} AS r${index}`,
    ...(odd === undefined ? [] : [`${odd} AS o${index}`]),
  ]);

/** Some columns of the file as the text of one JSON object. */
function objectSql(columns: readonly ParquetColumn[]): string {
  const members = columns.map((column, index) => {
    const lead = `${index === 0 ? '{' : ','}${JSON.stringify(column.name)}:`;
    return `${literal(lead)}, ${jsonSql(soundSql(column).value, column.type)}`;
  });
  return members.length ? `concat(${members.join(', ')}, '}')` : `'{}'`;
}

/** The columns of the file that the schema lacks. */
export function unknownColumns({ columns, schema }: Pick<SegmentReading, 'columns' | 'schema'>): ParquetColumn[] {
  const known = new Set(dataFields(schema).map(({ name }) => name));
  return columns.filter(({ name }) => !known.has(name));
}

/**
 * The rows of a Parquet file, typed: a query with the columns of the schema. Columns are found by their exact names. A
 * value of its column's own type is taken as it is; any other is judged by its text, as if it had come in a RECORD line.
 * What does not fit is NULL and stands in `_errors`, its text in `_extra` with columns of the file that the schema lacks.
 * Rows whose key is not whole are left out.
 */
export function segmentRowsSql(reading: SegmentReading): string {
  const { source, schema, runId, extractedAt, key, file } = reading;
  const fields = typedFields(reading);
  const unknown = unknownColumns(reading);
  const output = new Map([
    ...fields.map(({ field, sql }) => [field.name, sql.value] as const),
    ['_extracted_at', `make_timestamptz(${extractedAt} * 1000)`],
    ['_run_id', literal(runId)],
    ['_errors', errorsSql(fields, undefined)],
    ['_extra', joinedObjectsSql(['extra', misfitsSql(fields)])],
    ['_file', file === undefined ? 'NULL::VARCHAR' : literal(file)],
  ]);
  const selected = schema.fields.map((field) => `${output.get(field.name)} AS ${identifier(field.name)}`);
  const extra = `${unknown.length ? objectSql(unknown) : 'NULL::VARCHAR'} AS extra`;
  const raws = [...readSql(fields), extra];
  const whole = fields.flatMap(({ field, sql }) => (key.includes(field.id) ? [`(${sql.value}) IS NOT NULL`] : []));
  return `SELECT ${selected.join(',\n      ')}
    FROM (SELECT ${raws.join(', ')} FROM ${parquetSql(source)})
    ${whole.length ? `WHERE ${whole.join(' AND ')}` : ''}`;
}

/**
 * The rows whose key is not whole, as a file of rejected lines has them: their places, counted on from `position`, and
 * what they hold as the text of a JSON object. The order of rows must be kept.
 */
export function keylessSegmentSql(reading: SegmentReading, position: number): string {
  const fields = typedFields(reading);
  const missing = fields.flatMap(({ field, sql }) =>
    reading.key.includes(field.id) ? [`(${sql.value}) IS NULL`] : [],
  );
  return `SELECT n AS position, 'key_missing' AS reason, base64(encode(line)) AS raw
    FROM (SELECT ${readSql(fields).join(', ')}, ${objectSql(reading.columns)} AS line, row_number() OVER () - 1 + ${position} AS n
      FROM ${parquetSql(reading.source)})
    WHERE ${missing.join(' OR ')}`;
}

/** The table expression of a segment: its columns and nothing beside. */
export function parquetSql(source: string): string {
  return `read_parquet([${literal(source)}], hive_partitioning = false, binary_as_string = false)`;
}
