import { literal, sqlType } from '../duckdb/duckdb-sql.ts';
import { decimalShape, type Field, type FieldType, fixedLength } from '../schema/types.ts';

/** How one column is made of the text of its member. */
export type ColumnSql = {
  /** The typed value, NULL where the text does not fit. */
  readonly value: string;
  /** True where the text does not fit; undefined when every text does. */
  readonly misfit?: string;
  /** True where the value was kept but lost digits. */
  readonly rounded?: string;
  /** Why a text does not fit, where the type of the column does not say it. */
  readonly reason?: string;
};

/** Texts up to this length have no digits that a time of microseconds cannot hold. */
const EXACT_TIME_CHARS = 'hh:mm:ss.uuuuuu'.length;
const EXACT_TIMESTAMP_CHARS = 'yyyy-mm-ddThh:mm:ss.uuuuuu'.length;
/** From here on a floating type does not hold every integer. */
const EXACT_INTEGER = { float: 2 ** 24, double: 2 ** 53 } as const;

/** A number of so many characters, point included, has no digit that a double cannot hold. */
const EXACT_DOUBLE_CHARS = 16;
/** Doubles nearer to zero have fewer digits. */
const LEAST_FULL_DOUBLE = '2.2250738585072014e-308';

// The cast is a column by itself, so a condition may name it as often as it likes.
const canonical = (raw: string, cast: string, bad?: string): ColumnSql => {
  const misspelt = `${cast}::VARCHAR IS DISTINCT FROM ${raw}`;
  const misfit = bad === undefined ? `(${misspelt})` : `(${misspelt} OR ${bad})`;
  return { value: `if(${misfit}, NULL, ${cast})`, misfit };
};

const checked = (raw: string, cast: string, bad?: string): ColumnSql =>
  bad === undefined
    ? { value: cast, misfit: `(${raw} IS NOT NULL AND ${cast} IS NULL)` }
    : { value: `if(${bad}, NULL, ${cast})`, misfit: `(${raw} IS NOT NULL AND (${cast} IS NULL OR ${bad}))` };

// A condition that costs much is only asked of the few texts that may meet it.
const seldom = (first: string, then: string): string => `CASE WHEN ${first} THEN ${then} ELSE false END`;

const beyondMicros = (raw: string, chars: number): string =>
  seldom(`length(${raw}) > ${chars}`, `regexp_matches(${raw}, '\\.[0-9]{6}[0-9]*[1-9]')`);

// Only a value of a size at which something can have gone wrong is looked at closely.
function floatingSql(raw: string, cast: string, type: 'float' | 'double'): ColumnSql {
  const odd = `(${cast} = 0 OR abs(${cast}) >= ${EXACT_INTEGER[type]} OR contains(${raw}, '_'))`;
  const infinite = `(isinf(${cast}) AND NOT contains(lower(${raw}), 'inf'))`;
  const bad = seldom(odd, `(${infinite} OR contains(${raw}, '_'))`);
  const integer = `(regexp_full_match(${raw}, '-?[0-9]+') AND printf('%.0f', (${cast})::DOUBLE) IS DISTINCT FROM ${raw})`;
  const vanished = `((${cast}) = 0 AND regexp_matches(${raw}, '^[^eE]*[1-9]'))`;
  const rounded =
    type === 'double'
      ? doubleRounded(raw, cast, odd)
      : seldom(odd, `(NOT isinf(${cast}) AND (${integer} OR ${vanished}))`);
  return { ...checked(raw, cast, `(${bad})`), rounded: `(${rounded})` };
}

/**
 * Whether a double is another number than its text says: it prints with other digits, zeros at the ends aside. An integer
 * is the double's own when it has exactly that size.
 */
function doubleRounded(raw: string, cast: string, odd: string): string {
  const printed = `${cast}::VARCHAR`;
  const digits = (text: string) => `trim(regexp_replace(${text}, '[eE].*|[^0-9]', '', 'g'), '0')`;
  const integer = `printf('%.0f', ${cast}) IS DISTINCT FROM ${raw}`;
  const fraction = `${digits(printed)} IS DISTINCT FROM ${digits(raw)}`;
  const near = `abs(${cast}) < ${LEAST_FULL_DOUBLE}`;
  // What the most texts are is asked first: outside of a CASE, all is asked of all.
  return `CASE WHEN NOT (${odd} OR ${near} OR length(${raw}) > ${EXACT_DOUBLE_CHARS}) THEN false
    WHEN ${printed} = ${raw} OR NOT isfinite(${cast}) THEN false
    WHEN regexp_full_match(${raw}, '-?[0-9]+') THEN ${integer} ELSE ${fraction} END`;
}

function decimalSql(raw: string, cast: string, scale: number): ColumnSql {
  const beyond = `length(rtrim(split_part(${raw}, '.', 2), '0')) > ${scale}`;
  const shifted = `(${cast})::DOUBLE IS DISTINCT FROM try_cast(${raw} AS DOUBLE)`;
  const lost = `CASE WHEN contains(lower(${raw}), 'e') THEN ${shifted} ELSE ${beyond} END`;
  return {
    ...checked(raw, cast, `contains(${raw}, '_')`),
    rounded: `(${seldom(`${cast} IS NOT NULL`, lost)})`,
  };
}

/** What `TRY_CAST` and its like make of the text of a member: the column `cast` of `columnSql`. */
export function castSql(raw: string, type: FieldType): string {
  if (type === 'string') return raw;
  if (typeof type !== 'string') return `try_cast(try_cast(${raw} AS JSON) AS ${sqlType(type)})`;
  if (type === 'binary' || fixedLength(type) !== undefined) return `try(from_base64(${raw}))`;
  const cast = `try_cast(${raw} AS ${sqlType(type)})`;
  // So does DuckDB where it reads a double without the way over its text.
  if (type === 'double') return `CASE ${raw} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE ${cast} END`;
  if (!decimalShape(type)) return cast;
  // DuckDB 1.5 rounds the text 5e-202 up to the least decimal; the double is right, and what it lost is marked.
  return `CASE WHEN contains(lower(${raw}), 'e-') THEN try_cast(try_cast(${raw} AS DOUBLE) AS ${sqlType(type)}) ELSE ${cast} END`;
}

/**
 * The value of a column from the text of its member and from its cast. `TRY_CAST` is too kind in places: an integer or
 * date must be spelt as it prints, for casts take 1.5 as 2, 1e3 as 1000 and cut a date from a timestamp; a timestamp
 * without zone would drop an offset, a double turn 1e400 into infinity, a decimal round, a time lose its nanoseconds,
 * and words such as `epoch` would be moments. A truth value in a double column is 1 or 0; words of
 * agreement such as `yes` are no truth values. A number that a double column cannot hold is kept as the nearest one and
 * marked.
 */
export function columnSql(raw: string, type: FieldType, cast: string = castSql(raw, type)): ColumnSql {
  if (type === 'string') return { value: raw };
  const micros = { rounded: beyondMicros(raw, type === 'time' ? EXACT_TIME_CHARS : EXACT_TIMESTAMP_CHARS) };
  const word = `${raw} >= ':' OR NOT isfinite(${cast})`;
  switch (type) {
    case 'int':
    case 'long':
      return canonical(raw, cast);
    case 'date':
      return canonical(raw, cast, `NOT isfinite(${cast})`);
    case 'float':
    case 'double':
      return floatingSql(raw, cast, type);
    case 'boolean':
      return checked(raw, cast, `length(${raw}) = 2 OR length(${raw}) = 3 OR lower(${raw}) IN ('y', 'n')`);
    case 'time':
      return { ...checked(raw, cast, `regexp_matches(${raw}, '[^0-9:. ]')`), ...micros };
    case 'timestamp': {
      const zoned = `contains(${raw}, '+') OR contains(substr(${raw}, 11), '-') OR right(${raw}, 1) > '9'`;
      return { ...checked(raw, cast, `(${word} OR ${zoned})`), ...micros };
    }
    case 'timestamptz':
      return { ...checked(raw, cast, `(${word})`), ...micros };
    default: {
      const decimal = decimalShape(type);
      if (decimal) return decimalSql(raw, cast, decimal.scale);
      const bytes = fixedLength(type as string);
      return bytes === undefined ? checked(raw, cast) : checked(raw, cast, `octet_length(${cast}) <> ${bytes}`);
    }
  }
}

/** The value of a text column that holds JSON objects and lists: a bare text, number or truth value does not fit it. */
function jsonTextSql(raw: string): ColumnSql {
  const misfit = `(left(ltrim(${raw}), 1) NOT IN ('{', '['))`;
  return { value: `if(${misfit}, NULL, ${raw})`, misfit, reason: 'invalid_json' };
}

/** As `columnSql`, for a column of a table of which some text columns hold JSON. */
export function fieldSql(raw: string, { name, type }: Field, json: readonly string[], cast?: string): ColumnSql {
  return type === 'string' && json.includes(name) ? jsonTextSql(raw) : columnSql(raw, type, cast);
}

const CHANGES_TYPE = 'STRUCT(field VARCHAR, change VARCHAR, reason VARCHAR)[]';

const entry = (field: Field, change: 'nulled' | 'rounded', own?: string): string => {
  const kind = decimalShape(field.type) ? 'decimal' : typeof field.type === 'string' ? field.type : field.type.type;
  const lost = decimalShape(field.type) ? 'scale_exceeded' : 'precision_exceeded';
  const reason = own ?? (change === 'rounded' ? lost : `invalid_${kind}`);
  return `{field: ${literal(field.name)}, change: ${literal(change)}, reason: ${literal(reason)}}`;
};

/**
 * The `_errors` of a row: what its columns say, then what the source itself reported under the column `changes`. The
 * list is built for bad rows only: one condition over all columns decides first. It is a list of places in a list of
 * all entries, as an entry for each column would take a vector each.
 */
export function errorsSql(columns: readonly { field: Field; sql: ColumnSql }[], changes: string | undefined): string {
  const found = columns.flatMap(({ field, sql: { misfit, rounded, reason } }) => [
    ...(misfit ? [{ condition: misfit, entry: entry(field, 'nulled', reason) }] : []),
    // A value that is gone has lost no digits.
    ...(rounded ? [{ condition: `(${rounded} AND NOT ${misfit ?? 'false'})`, entry: entry(field, 'rounded') }] : []),
  ]);
  const none = `CAST([] AS ${CHANGES_TYPE})`;
  const places = found.map(({ condition }, at) => `if(${condition}, ${at + 1}, NULL)`).join(', ');
  const entries = `CAST([${found.map((one) => one.entry).join(', ')}] AS ${CHANGES_TYPE})`;
  const own = found.length
    ? `CASE WHEN ${found.map((one) => one.condition).join(' OR ')}
         THEN list_transform(list_filter([${places}], lambda place: place IS NOT NULL), lambda place: ${entries}[place]) ELSE ${none} END`
    : none;
  return changes ? `CASE WHEN ${changes} IS NULL THEN ${own} ELSE list_concat(${own}, ${changes}) END` : own;
}

/** Characters that are kept of a text which did not fit its column, or of which digits were lost. */
const MAX_MISFIT_CHARS = 8192;

/** A text as it is kept, with a note of its length where it was cut. */
const cutSql = (text: string): string =>
  `if(length(${text}) <= ${MAX_MISFIT_CHARS}, ${text}, left(${text}, ${MAX_MISFIT_CHARS}) || '… [cut, ' || length(${text}) || ' characters]')`;

/**
 * The texts that did not fit their columns, or lost digits there, as the text of a JSON object with the columns' names; NULL
 * where all fit. Its lists are built for bad rows only.
 */
export function misfitsSql(columns: readonly { field: Field; sql: ColumnSql; text: string }[]): string {
  const found = columns.flatMap(({ field, sql: { misfit, rounded }, text }) => {
    const asked = [misfit, rounded].filter((one) => one !== undefined);
    return asked.length > 0 ? [{ misfit: asked.join(' OR '), text, lead: `${JSON.stringify(field.name)}:` }] : [];
  });
  if (found.length === 0) return 'NULL::VARCHAR';
  const zipped = `list_zip([${found.map(({ misfit }) => misfit).join(', ')}], [${found.map(({ text }) => text).join(', ')}],
    [${found.map(({ lead }) => literal(lead)).join(', ')}])`;
  const bad = `list_filter(${zipped}, lambda one: one[1] AND one[2] IS NOT NULL)`;
  const members = `list_transform(${bad}, lambda one: one[3] || to_json(${cutSql('one[2]')})::VARCHAR)`;
  return `CASE WHEN ${found.map(({ misfit }) => misfit).join(' OR ')}
    THEN '{' || nullif(array_to_string(${members}, ','), '') || '}' END`;
}

/** Texts of JSON objects, each with a member or NULL, as the text of one object; NULL where all are. */
export function joinedObjectsSql(objects: readonly string[]): string {
  const inner = objects.map((object) => `nullif(substr(${object}, 2, length(${object}) - 2), '')`);
  return `'{' || nullif(concat_ws(',', ${inner.join(', ')}), '') || '}'`;
}

/** The type in which `changes` of a line are read. */
export const CHANGES_SQL_TYPE: string = CHANGES_TYPE;
