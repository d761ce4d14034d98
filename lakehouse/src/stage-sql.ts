import { fieldIdsLiteral, identifier, literal, sqlType } from './duckdb-sql.ts';
import { decimalShape, type Field, type FieldType, META_COLUMNS, type TableSchema } from './types.ts';

/** Where in a line its parts are, as the names of nested members from the line's root. */
export type LineShape = {
  /** The object whose members are the columns. */
  readonly data: readonly [string, ...string[]];
  /** Milliseconds since 1970 at which the row was read. */
  readonly extractedAt: readonly [string, ...string[]];
  /** A list of `{field, change, reason}` in which the source says what it could not hand over, if it has one. */
  readonly changes?: readonly [string, ...string[]];
};

export type StageStatement = {
  readonly source: string;
  readonly shape: LineShape;
  readonly schema: TableSchema;
  readonly target: string;
  readonly runId: string;
  /** Whether unknown members are kept in `_extra`; else they are only noticed there (see `stageStatement`). */
  readonly keepExtra: boolean;
  /** The longest line that is read; each thread holds twice as much. */
  readonly maxLineBytes: number;
};

/** A row group ends at either bound; each thread holds one uncompressed. */
const ROW_GROUP_ROWS = 122_880;
const ROW_GROUP_BYTES = 16 * 1024 * 1024;
const CHANGES_TYPE = 'STRUCT(field VARCHAR, change VARCHAR, reason VARCHAR)[]';
/** What the statement raises for a line without data; classified with the lines that cannot be parsed. */
const NO_DATA = 'a line has no data';

type ColumnSql = {
  /** The typed value, NULL where the text does not fit. */
  readonly value: string;
  /** True where the text does not fit; undefined when every text does. */
  readonly misfit?: string;
  /** True where the value was kept but lost digits. */
  readonly rounded?: string;
};

const canonical = (raw: string, cast: string): ColumnSql => {
  const fits = `(${cast})::VARCHAR IS NOT DISTINCT FROM ${raw}`;
  return { value: `if(${fits}, ${cast}, NULL)`, misfit: `NOT (${fits})` };
};
const checked = (raw: string, cast: string, bad?: string): ColumnSql =>
  bad === undefined
    ? { value: cast, misfit: `${raw} IS NOT NULL AND ${cast} IS NULL` }
    : { value: `if(${bad}, NULL, ${cast})`, misfit: `${raw} IS NOT NULL AND (${cast} IS NULL OR ${bad})` };

// TRY_CAST is too kind in places. An integer or date must be spelt as it prints: casts take 1.5 as 2, 1e3 as 1000 and
// cut a date from a timestamp. A timestamp without zone would drop an offset, a double would turn 1e400 into infinity,
// a decimal would round.
function columnSql(raw: string, type: FieldType): ColumnSql {
  if (type === 'string' || typeof type !== 'string') return { value: raw };
  const cast = `try_cast(${raw} AS ${sqlType(type)})`;
  switch (type) {
    case 'int':
    case 'long':
    case 'date':
      return canonical(raw, cast);
    case 'float':
    case 'double':
      return checked(raw, cast, `(isinf(${cast}) AND NOT contains(lower(${raw}), 'inf'))`);
    case 'time':
      return checked(raw, cast, `regexp_matches(${raw}, '[^0-9:. ]')`);
    case 'timestamp':
      return checked(
        raw,
        cast,
        `(NOT isfinite(${cast}) OR contains(${raw}, '+') OR contains(substr(${raw}, 11), '-') OR right(${raw}, 1) > '9')`,
      );
    case 'timestamptz':
      return checked(raw, cast, `(NOT isfinite(${cast}))`);
    case 'binary':
      return checked(raw, `try(from_base64(${raw}))`);
    default: {
      const scale = decimalShape(type)?.scale;
      if (scale === undefined) return checked(raw, cast);
      const lost = `length(rtrim(split_part(${raw}, '.', 2), '0')) > ${scale} AND ${cast} IS NOT NULL`;
      return { ...checked(raw, cast), rounded: lost };
    }
  }
}

const entry = (field: Field, change: string, condition: string): string => {
  const kind = decimalShape(field.type) ? 'decimal' : String(field.type);
  const reason = change === 'rounded' ? 'scale_exceeded' : `invalid_${kind}`;
  return `if(${condition}, {field: ${literal(field.name)}, change: ${literal(change)}, reason: ${literal(reason)}}, NULL)`;
};

// The list is built for bad rows only: one condition over all columns decides first.
function errorsSql(columns: readonly { field: Field; sql: ColumnSql }[], changes: string | undefined): string {
  const found = columns.flatMap(({ field, sql }) => [
    ...(sql.misfit ? [{ condition: `(${sql.misfit})`, item: entry(field, 'nulled', sql.misfit) }] : []),
    ...(sql.rounded ? [{ condition: `(${sql.rounded})`, item: entry(field, 'rounded', sql.rounded) }] : []),
  ]);
  const none = `CAST([] AS ${CHANGES_TYPE})`;
  const own = found.length
    ? `CASE WHEN ${found.map((one) => one.condition).join(' OR ')}
         THEN list_filter([${found.map((one) => one.item).join(', ')}], lambda one: one IS NOT NULL) ELSE ${none} END`
    : none;
  return changes ? `list_concat(${own}, ${changes})` : own;
}

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

const namesSql = (fields: readonly Field[]): string =>
  `[${fields.map((field) => literal(field.name)).join(', ')}]::VARCHAR[]`;

// A sum of sums: written as one chain it would be as deep as it is long, and DuckDB ends at a depth of 1000.
function sumSql(terms: readonly string[]): string {
  const half = Math.ceil(terms.length / 2);
  return terms.length < 2 ? (terms[0] ?? '0') : `(${sumSql(terms.slice(0, half))} + ${sumSql(terms.slice(half))})`;
}

// Whether an object has members that no column holds. Set containment alone would cost a third of the whole statement,
// so two cheap proofs that it has none come first: as many members as columns with a value, or the very same names.
function extraSql(fields: readonly Field[], extra: string): string {
  const known = namesSql(fields);
  const present = sumSql(fields.map((field) => `(d[${literal(field.name)}] IS NOT NULL)::INTEGER`));
  return `CASE WHEN cardinality(d) = ${present} THEN NULL WHEN map_keys(d) = ${known} THEN NULL
          WHEN list_has_all(${known}, map_keys(d)) THEN NULL ELSE ${extra} END`;
}

const memberSql = (path: readonly string[]): string => path.map(identifier).join('.');

/**
 * The COPY that types a spool of JSON lines into one Parquet file.
 *
 * The data object is read as a MAP of texts and each column is looked up in it: as fast as reading a STRUCT, blind to
 * names that differ only in case, and the only form that shows members which no column asked for. Where a name comes
 * twice in one object its first value counts. Unless `keepExtra` is set, `_extra` merely says whether there were such
 * members, because texts cannot tell a number from a string; the caller then asks again with `keepExtra`, which reads
 * the values as JSON and costs about half as much again.
 */
export function stageStatement(statement: StageStatement): string {
  const { shape, schema, source, target } = statement;
  const meta = new Set(META_COLUMNS.map((column) => column.name));
  const fields = schema.fields.filter((field) => !meta.has(field.name));
  const known = namesSql(fields);
  const text = (field: Field): string => {
    const value = `d[${literal(field.name)}]`;
    return statement.keepExtra ? `json_extract_string(${value}, '$')` : value;
  };
  const columns = fields.map((field, index) => ({ field, sql: columnSql(`r${index}`, field.type) }));
  const extra = statement.keepExtra
    ? `to_json(map_from_entries(list_filter(map_entries(d), lambda e: NOT list_contains(${known}, e.key))))::VARCHAR`
    : `''`;
  const parts = [
    { path: shape.data, type: statement.keepExtra ? 'MAP(VARCHAR, JSON)' : 'MAP(VARCHAR, VARCHAR)' },
    { path: shape.extractedAt, type: 'BIGINT' },
    ...(shape.changes ? [{ path: shape.changes, type: CHANGES_TYPE }] : []),
  ];
  const output = new Map([
    ...columns.map(({ field, sql }) => [field.name, sql.value] as const),
    ['_extracted_at', 'extracted_at'],
    ['_run_id', literal(statement.runId)],
    ['_errors', errorsSql(columns, shape.changes && 'changes')],
    ['_extra', 'extra'],
  ]);
  const selected = schema.fields.map((field) => `${output.get(field.name)} AS ${identifier(field.name)}`);
  return `COPY (
    SELECT ${selected.join(',\n      ')}
    FROM (
      SELECT ${[...fields.map((field, index) => `${text(field)} AS r${index}`), 'extracted_at', 'changes'].join(', ')},
        ${extraSql(fields, extra)} AS extra
      FROM (
        SELECT if(${memberSql(shape.data)} IS NULL, error(${literal(NO_DATA)}), ${memberSql(shape.data)}) AS d,
          make_timestamptz(${memberSql(shape.extractedAt)} * 1000) AS extracted_at,
          ${shape.changes ? memberSql(shape.changes) : 'NULL'} AS changes
        FROM read_ndjson(${literal(source)}, columns = ${lineColumns(parts)}, auto_detect = false, records = true,
          maximum_object_size = ${statement.maxLineBytes})))
  ) TO ${literal(target)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS},
    ROW_GROUP_SIZE_BYTES ${ROW_GROUP_BYTES}, FIELD_IDS ${fieldIdsLiteral(schema.fields)}, RETURN_STATS)`;
}
