import { fieldIdsLiteral, identifier, literal } from '../duckdb/duckdb-sql.ts';
import { FILLED_COLUMNS, type Field, type TableSchema } from '../schema/types.ts';
import {
  CHANGES_SQL_TYPE,
  type ColumnSql,
  castSql,
  errorsSql,
  fieldSql,
  joinedObjectsSql,
  misfitsSql,
} from './stage-column.ts';

/** Where in a line its parts are, as the names of nested members from the line's root. */
export type LineShape = {
  /** The object whose members are the columns. */
  readonly data: readonly [string, ...string[]];
  /** Milliseconds since 1970 at which the row was read. */
  readonly extractedAt: readonly [string, ...string[]];
  /** A list of `{field, change, reason}` in which the source says what it could not hand over, if it has one. */
  readonly changes?: readonly [string, ...string[]];
  /** Where the source says that a line of a file is no row, why, and where it is. */
  readonly rejected?: readonly [string, ...string[]];
  /** The name of the file that the row is from, if lines have one. */
  readonly file?: readonly [string, ...string[]];
};

/** Lines that are data alone: the text before and behind each in a row of the shape, and what all of these rows have. */
export type BareLines = {
  readonly prefix: string;
  readonly suffix: string;
  readonly extractedAt: number;
  readonly file?: string | undefined;
};

/** How a spool is read. */
export type Reading = {
  readonly source: string;
  readonly shape: LineShape;
  /** There when each line is the data of a row alone. */
  readonly bare?: BareLines;
  /** Where a line that we rewrote has the text of its `_extra`. */
  readonly extra?: readonly [string, ...string[]];
  readonly schema: TableSchema;
  /** Names of text columns that hold JSON. */
  readonly json: readonly string[];
  readonly runId: string;
  /** Whether unknown members are kept in `_extra`; else they are only noticed there (see `rowsSql`). */
  readonly keepExtra: boolean;
  /** The longest line that is read; each thread holds twice as much. */
  readonly maxLineBytes: number;
  /** Field ids of the key; a row without one of them ends the statement. */
  readonly key: readonly number[];
  /** The names of the members in the order that most lines are likely to have. */
  readonly usual: readonly string[];
  /** The names of all columns, when the schema has only some of them; it then says what an unknown member is. */
  readonly known?: readonly string[];
  /** Whether members that no column holds are left to another reading of the same lines. */
  readonly withoutOthers?: boolean;
};

/** What a statement raises for a line that is no row; classified with the lines that cannot be parsed. */
export const REFUSALS = {
  noData: 'weir: no data',
  duplicate: 'weir: duplicate key',
  key: 'weir: key missing',
  doubtful: 'weir: doubtful number',
} as const;

// The members of a line that are read, as one nested struct type per top-level member.
function lineColumns(parts: readonly { path: readonly string[]; type: string }[]): string {
  const groups = new Map<string, { path: readonly string[]; type: string }[]>();
  for (const part of parts) groups.set(part.path[0]!, [...(groups.get(part.path[0]!) ?? []), part]);
  const nested = (members: readonly { path: readonly string[]; type: string }[]): string => {
    if (members.length === 1 && members[0]!.path.length === 1) return members[0]!.type;
    const inner = new Map<string, { path: readonly string[]; type: string }[]>();
    for (const { path, type } of members)
      inner.set(path[1]!, [...(inner.get(path[1]!) ?? []), { path: path.slice(1), type }]);
    return `STRUCT(${[...inner].map(([name, own]) => `${identifier(name)} ${nested(own)}`).join(', ')})`;
  };
  return `{${[...groups].map(([name, own]) => `${identifier(name)}: ${literal(nested(own))}`).join(', ')}}`;
}

/** `_extra` of a row with members that no column holds, where they are only noticed. */
export const NOTICED = '';

const namesSql = (names: readonly string[]): string => `[${names.map(literal).join(', ')}]::VARCHAR[]`;

// A sum of sums: written as one chain it would be as deep as it is long, and DuckDB ends at a depth of 1000.
function sumSql(terms: readonly string[]): string {
  const half = Math.ceil(terms.length / 2);
  return terms.length < 2 ? (terms[0] ?? '0') : `(${sumSql(terms.slice(0, half))} + ${sumSql(terms.slice(half))})`;
}

const memberSql = (path: readonly string[]): string => path.map(identifier).join('.');

/** The columns of a schema that come from the data. */
export function dataFields(schema: TableSchema): Field[] {
  return schema.fields.filter((field) => !FILLED_COLUMNS.has(field.name));
}

// Whether an object has members that no column holds, or one twice. Set containment alone would cost a third of the
// whole statement, so two cheap proofs that it has none come first: the usual names, or as many members as there are
// columns with a value.
function extraSql(reading: Reading, fields: readonly Field[]): string {
  const all = reading.known ?? fields.map((field) => field.name);
  const [known, names] = [namesSql(all), new Set(all)];
  const present = reading.known ? '-1' : sumSql(fields.map((_field, index) => `(r${index} IS NOT NULL)::INTEGER`));
  const extra = reading.keepExtra
    ? `to_json(map_from_entries(list_filter(map_entries(d), lambda e: NOT list_contains(${known}, e.key))))::VARCHAR`
    : literal(NOTICED);
  const found = `CASE ${reading.usual.every((name) => names.has(name)) ? 'WHEN usual THEN NULL' : ''}
    WHEN cardinality(d) = ${present} THEN NULL
    WHEN len(list_distinct(map_keys(d))) <> cardinality(d) THEN error(${literal(REFUSALS.duplicate)})
    WHEN list_has_all(${known}, map_keys(d)) THEN NULL ELSE ${extra} END`;
  return reading.extra ? `coalesce(extra_text, ${found})` : found;
}

/** What `_extra` says of a row: members that no column holds, and texts that did not fit their columns. */
function keptColumns(
  reading: Reading,
  columns: readonly { field: Field; sql: ColumnSql; text: string }[],
): { readonly others: string; readonly misfits: string; readonly extra: string } {
  const fields = columns.map(({ field }) => field);
  const others = reading.withoutOthers ? 'NULL::VARCHAR' : extraSql(reading, fields);
  // An empty text only says that there are such members.
  const extra = `CASE WHEN misfits IS NULL OR others = ${literal(NOTICED)} THEN others ELSE ${joinedObjectsSql(['others', 'misfits'])} END`;
  return { others, misfits: misfitsSql(columns), extra };
}

function lookUpSql(reading: Reading, field: Field): string {
  const place = reading.usual.indexOf(field.name);
  const usual = place < 0 ? 'NULL' : `v[${place + 1}]`;
  const value = reading.usual.length ? `if(usual, ${usual}, d[${literal(field.name)}])` : `d[${literal(field.name)}]`;
  return reading.keepExtra ? `json_extract_string(${value}, '$')` : value;
}

/**
 * The rows of a spool of JSON lines, typed: a query with the columns of the schema.
 *
 * The data object is read as a MAP of texts and each column is looked up in it: as fast as reading a STRUCT of texts,
 * blind to names that differ only in case, and the only form that shows members which no column asked for. Lines with
 * the usual members in their usual order are looked up by place. Unless `keepExtra` is set, `_extra` merely says
 * whether there were such members, because texts cannot tell a number from a string; the caller then asks again with
 * `keepExtra`, which reads the values as JSON and costs about half as much again.
 */
export function rowsSql(reading: Reading): string {
  const { shape, schema } = reading;
  const fields = dataFields(schema);
  const asked = fields.map((field, index) => fieldSql(`r${index}`, field, reading.json, `c${index}`));
  const columns = fields.map((field, index) => ({
    field,
    sql: answered(asked[index]!, index),
    text: `r${index}`,
  }));
  const kept = keptColumns(reading, columns);
  const verdicts = asked.flatMap(({ misfit, rounded }, index) => [
    ...(misfit ? [`coalesce(${misfit}, false) AS m${index}`] : []),
    ...(rounded ? [`coalesce(${rounded}, false) AS l${index}`] : []),
  ]);
  const output = new Map([
    ...columns.map(({ field, sql }) => [field.name, sql.value] as const),
    ['_extracted_at', 'extracted_at'],
    ['_run_id', literal(reading.runId)],
    ['_errors', guarded(reading, columns, errorsSql(columns, shape.changes && 'changes'))],
    ['_extra', kept.extra],
    ['_file', 'file_text'],
  ]);
  const selected = schema.fields.map((field) => `${output.get(field.name)} AS ${identifier(field.name)}`);
  return `SELECT ${selected.join(',\n      ')}
    FROM (SELECT *, ${kept.others} AS others, ${kept.misfits} AS misfits
    FROM (SELECT *, ${verdicts.join(', ') || '0'}
      FROM (SELECT *, ${fields.map((field, index) => `${castSql(`r${index}`, field.type)} AS c${index}`).join(', ') || '0'}
        FROM (SELECT *, ${fields.map((field, index) => `${lookUpSql(reading, field)} AS r${index}`).join(', ') || '0'}
          FROM (SELECT *, map_values(d) AS v, map_keys(d) = ${namesSql(reading.usual)} AS usual
            FROM (${lineSql(reading)}))))))`;
}

// What was asked of a column in an inner query is a column of that query: it is asked once, however often it is used.
const answered = ({ misfit, rounded, reason }: ColumnSql, index: number): ColumnSql => ({
  ...(reason ? { reason } : {}),
  value: misfit ? `if(m${index}, NULL, c${index})` : `c${index}`,
  ...(misfit ? { misfit: `m${index}` } : {}),
  ...(rounded ? { rounded: `l${index}` } : {}),
});

// The key is asked here because this column is always computed.
function guarded(reading: Reading, columns: readonly { field: Field; sql: { value: string } }[], sql: string): string {
  const keys = columns.filter(({ field }) => reading.key.includes(field.id));
  if (!keys.length) return sql;
  const missing = keys.map((key) => `(${key.sql.value}) IS NULL`).join(' OR ');
  return `CASE WHEN ${missing} THEN error(${literal(REFUSALS.key)}) ELSE ${sql} END`;
}

function lineSql({ source, shape, extra, keepExtra, maxLineBytes }: Reading): string {
  const parts = [
    { path: shape.data, type: keepExtra ? 'MAP(VARCHAR, JSON)' : 'MAP(VARCHAR, VARCHAR)' },
    { path: shape.extractedAt, type: 'BIGINT' },
    ...(shape.changes ? [{ path: shape.changes, type: CHANGES_SQL_TYPE }] : []),
    ...(shape.file ? [{ path: shape.file, type: 'VARCHAR' }] : []),
    ...(extra ? [{ path: extra, type: 'VARCHAR' }] : []),
  ];
  return `SELECT if(${memberSql(shape.data)} IS NULL, error(${literal(REFUSALS.noData)}), ${memberSql(shape.data)}) AS d,
          make_timestamptz(${memberSql(shape.extractedAt)} * 1000) AS extracted_at,
          ${shape.changes ? memberSql(shape.changes) : 'NULL'} AS changes, ${extra ? memberSql(extra) : 'NULL'} AS extra_text,
          ${shape.file ? memberSql(shape.file) : 'NULL::VARCHAR'} AS file_text
        FROM read_ndjson(${literal(source)}, columns = ${lineColumns(parts)}, auto_detect = false, records = true,
          maximum_object_size = ${maxLineBytes})`;
}

/** The rows of a spool, counted from 0 in the order of its lines, whose key is not whole; the order must be kept. */
export function keylessRowsSql(reading: Reading): string {
  const fields = dataFields(reading.schema);
  const missing = fields.flatMap((field, index) =>
    reading.key.includes(field.id) ? [`(${fieldSql(`r${index}`, field, reading.json).value}) IS NULL`] : [],
  );
  return `SELECT n FROM (SELECT row_number() OVER () - 1 AS n, *
      FROM (SELECT *, ${fields.map((field, index) => `d[${literal(field.name)}] AS r${index}`).join(', ')}
        FROM (${lineSql({ ...reading, keepExtra: false })})))
    WHERE ${missing.join(' OR ')} ORDER BY n`;
}

/** A row group ends at either bound; each thread holds one uncompressed. */
const ROW_GROUP = { rows: 122_880, bytes: 16 * 1024 * 1024 } as const;
/** Rows of a row group whose order is kept: DuckDB then knows no bound in bytes, and holds several back. */
const ORDERED_GROUP_ROWS = 20_480;
/** Level 1 makes files a tenth larger than DuckDB's usual 3, and staging a tenth cheaper. */
const ZSTD_LEVEL = 1;
/**
 * A column with more values than this in a row group gets no dictionary. The writer gives up there: looking for longer ones
 * costs a fifth of all staging, and they are kept for hardly a column.
 */
const DICTIONARY_VALUES = 2048;
/** Nor does one with more than one value for so many rows, as DuckDB has it: its memory is taken at once, for every column. */
const ROWS_PER_VALUE = 5;
/** The size at which a data file is ended and the next one begun. */
export const TARGET_FILE_BYTES = '128MB';

export type WriteOptions = {
  /** A local folder that must not exist; the files are written into it. */
  readonly folder: string;
  readonly schema: Pick<TableSchema, 'fields'>;
  /** A column of the query, not of the schema, by whose values the rows are divided over files. */
  readonly partitionColumn?: string;
  readonly rowGroupRows?: number;
  /** About how large a file becomes before another one is begun. */
  readonly fileBytes?: string;
  /** Whether the connection keeps the order of rows. */
  readonly ordered?: boolean;
};

/** The COPY that writes the rows of a query as Parquet files with field ids, and answers figures for each file. */
export function writeSql(query: string, options: WriteOptions): string {
  const { folder, schema, partitionColumn, ordered = false, fileBytes = TARGET_FILE_BYTES } = options;
  const rows = options.rowGroupRows ?? (ordered ? ORDERED_GROUP_ROWS : ROW_GROUP.rows);
  const dictionary = Math.min(DICTIONARY_VALUES, Math.floor(rows / ROWS_PER_VALUE));
  const division = partitionColumn ? `PARTITION_BY (${identifier(partitionColumn)})` : `FILE_SIZE_BYTES '${fileBytes}'`;
  return `COPY (${query}) TO ${literal(folder)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${ZSTD_LEVEL}, ${division},
    DICTIONARY_SIZE_LIMIT ${dictionary}, ROW_GROUP_SIZE ${rows}, ${ordered ? '' : `ROW_GROUP_SIZE_BYTES ${ROW_GROUP.bytes},`}
    FIELD_IDS ${fieldIdsLiteral(schema.fields)}, RETURN_STATS)`;
}
