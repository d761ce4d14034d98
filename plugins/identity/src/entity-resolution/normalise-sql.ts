import type { EntityResolutionDocumentBody } from '../contract/entity-resolution.ts';

type Op = EntityResolutionDocumentBody['normalise'][number]['ops'][number];
type NamedOp = Extract<Op, string>;
type DateFormat = Extract<Op, { op: 'date' }>['format'];

/** Characters of a value that are looked at; they bound what one comparison costs. */
const MAX_VALUE_CHARS = 256;

const global = (sql: string, pattern: string, text: string): string =>
  `regexp_replace(${sql}, ${literal(pattern)}, ${literal(text)}, 'g')`;

const NAMED: Readonly<Record<NamedOp, (sql: string) => string>> = {
  lower: (sql) => `lower(${sql})`,
  trim: (sql) => `trim(${sql}, ' \t\n\r')`,
  collapse_spaces: (sql) => global(sql, '\\s+', ' '),
  strip_accents: (sql) => `strip_accents(${sql})`,
  letters: (sql) => global(sql, '[^\\p{L}]', ''),
  digits: (sql) => global(sql, '[^0-9]', ''),
  letters_and_digits: (sql) => global(sql, '[^\\p{L}\\p{Nd}]', ''),
  strip_leading_zeros: (sql) => `ltrim(${sql}, '0')`,
  sort_words: (sql) => `array_to_string(list_sort(string_split(${sql}, ' ')), ' ')`,
};

const DATE_PATTERNS: Readonly<Record<DateFormat, string>> = {
  YYYYMMDD: '%Y%m%d',
  'YYYY-MM-DD': '%Y-%m-%d',
  'DD/MM/YYYY': '%d/%m/%Y',
  'MM/DD/YYYY': '%m/%d/%Y',
  'DD.MM.YYYY': '%d.%m.%Y',
};

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The text of a column under the operations of a policy, in their order; NULL when nothing is left of it. */
export function normalisedSql(column: string, ops: readonly Op[]): string {
  const text = ops.reduce(opSql, `left(CAST(${column} AS VARCHAR), ${MAX_VALUE_CHARS})`);
  return `nullif(${text}, '')`;
}

function opSql(sql: string, op: Op): string {
  if (typeof op === 'string') return NAMED[op](sql);
  if (op.op === 'replace') return global(sql, op.pattern, op.with);
  return `CAST(CAST(try_strptime(${sql}, ${literal(DATE_PATTERNS[op.format])}) AS DATE) AS VARCHAR)`;
}
