import type { PropertyDocument } from '../../contract/documents.ts';

/** A value of a row on its way into an entity. */
export interface Value {
  /** The value as the mapping gives it. */
  source: string;
  /** The value as it travels; null where the one that is given does not fit. */
  sql: string;
  /** The same as a value of JSON. */
  json: string;
}

export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

type Travels = Pick<PropertyDocument, 'value_type' | 'item_type' | 'constraints'>;

const DECIMAL_TEXT = String.raw`'-?\d+(\.\d+)?'`;
const ISO = (sql: string): string => `replace(CAST(${sql} AS VARCHAR), ' ', 'T')`;

/** How a value travels: 64-bit integers and decimals as text, times as ISO 8601, in UTC where they have a zone. */
export function valueSql(source: string, { value_type, item_type, constraints }: Travels): Value {
  if (value_type !== 'list') {
    const sql = scalarSql(source, value_type, constraints);
    return { source, sql, json: sql };
  }
  const item = scalarSql('x', item_type ?? 'string', {});
  const misfits = `list_filter(${source}, lambda x: x IS NOT NULL AND ${item} IS NULL)`;
  const sql = `CASE WHEN len(${misfits}) = 0 THEN list_transform(${source}, lambda x: ${item}) END`;
  return { source, sql, json: `to_json(${sql})` };
}

function scalarSql(
  source: string,
  type: PropertyDocument['value_type'],
  { precision, scale }: PropertyDocument['constraints'],
): string {
  const as = (name: string) => `TRY_CAST(${source} AS ${name})`;
  switch (type) {
    case 'boolean':
      return as('BOOLEAN');
    case 'integer':
      return as('INTEGER');
    case 'long':
      return `CAST(${as('BIGINT')} AS VARCHAR)`;
    case 'double':
      return `CASE WHEN isfinite(${as('DOUBLE')}) THEN ${as('DOUBLE')} END`;
    case 'decimal':
      return decimalSql(source, precision, scale);
    case 'date':
      return inYears(as('DATE'), (date) => `CAST(${date} AS VARCHAR)`);
    case 'timestamp':
      return inYears(as('TIMESTAMP'), ISO);
    case 'timestamptz':
      return inYears(`(${as('TIMESTAMPTZ')} AT TIME ZONE 'UTC')`, (time) => `${ISO(time)} || 'Z'`);
    case 'uuid':
      return `CAST(${as('UUID')} AS VARCHAR)`;
    case 'geometry':
      return `CASE WHEN json_type(${as('JSON')}) = 'OBJECT' THEN ${as('JSON')} END`;
    case 'json':
      return `CASE WHEN ${isExactJson(as('JSON'))} THEN ${as('JSON')} END`;
    default:
      return `CAST(${source} AS VARCHAR)`;
  }
}

/** Times that ISO 8601 writes with four digits of the year: no infinite one, and none before Christ. */
const inYears = (time: string, written: (time: string) => string): string =>
  `CASE WHEN year(${time}) BETWEEN 1 AND 9999 THEN ${written(time)} END`;

const STRINGS = String.raw`'"(?:\\.|[^"\\])*"'`;

/** Whether every integer in a document comes back as it is: readers of JSON take numbers as doubles. */
const isExactJson = (json: string): string => {
  const numbers = `regexp_extract_all(regexp_replace(CAST(${json} AS VARCHAR), ${STRINGS}, '', 'g'), '[-+0-9.eE]+')`;
  const isRounded = `regexp_full_match(n, '-?[0-9]+') AND coalesce(abs(TRY_CAST(n AS HUGEINT)) > ${Number.MAX_SAFE_INTEGER}, true)`;
  return `len(list_filter(${numbers}, lambda n: ${isRounded})) = 0`;
};

/** Never through a double: a value that has too many digits does not fit. */
function decimalSql(source: string, precision: number | undefined, scale: number | undefined): string {
  if (precision !== undefined && scale !== undefined)
    return `CAST(TRY_CAST(${source} AS DECIMAL(${precision}, ${scale})) AS VARCHAR)`;
  const text = `CAST(${source} AS VARCHAR)`;
  return `CASE WHEN regexp_full_match(${text}, ${DECIMAL_TEXT}) THEN ${text} END`;
}
