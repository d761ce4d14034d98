import { duckdbType, hasOddValues, isDecimal } from './column-kind.ts';
import type { SinkOptions } from './row-sink.ts';
import { identifier, literal } from './sql-text.ts';
import type { Column } from './table.ts';

/** Longer rows go as lines: DuckDB keeps several of the longest in memory for each thread. */
export const MAX_SEGMENT_ROW_BYTES = 1024 * 1024;
const LINE_BYTES = 2 * MAX_SEGMENT_ROW_BYTES;

/** Packed for speed: a segment is read once. */
const SEGMENT_FORMAT = 'FORMAT parquet, COMPRESSION snappy';

type Segment = Pick<SinkOptions, 'columns' | 'fixed'> & {
  readonly csv: string;
  readonly target: string;
  /**
   * Whether columns that may hold odd values are read as texts, and rows with one are left out. Without it such a row makes the
   * statement fail, or is left out where DuckDB knows the word.
   */
  readonly isTolerant: boolean;
};

/** The statement that writes the rows of a CSV file as a Parquet file, values typed as the stream's schema says. */
export function segmentSql({ columns, fixed, csv, target, isTolerant }: Segment): string {
  const own = columns.map(
    (column, index) => `${valueSql(column, `c${index}`, isTolerant)} AS ${identifier(column.name)}`,
  );
  const all = [...own, ...fixed.map(({ name, sql }) => `${sql} AS ${identifier(name)}`)];
  const types = columns.map(({ kind }, index) => {
    const asText = kind === 'binary' || (isTolerant && hasOddValues(kind));
    return `c${index}: '${asText ? 'VARCHAR' : duckdbType(kind)}'`;
  });
  // A row of one empty column would be an empty line, which no reader of CSV takes for a row.
  if (columns.length === 1) types.push(`c1: 'VARCHAR'`);
  const options = [
    `columns = {${types.join(', ')}}`,
    `auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n'`,
    `nullstr = '', allow_quoted_nulls = false, max_line_size = ${LINE_BYTES}`,
  ];
  const held = columns.flatMap((column, index) => heldSql(column, `c${index}`, isTolerant));
  const where = held.length === 0 ? '' : ` WHERE ${held.join(' AND ')}`;
  const rows = `SELECT ${all.join(', ')} FROM read_csv(${literal(csv)}, ${options.join(', ')})${where}`;
  return `COPY (${rows}) TO ${literal(target)} (${SEGMENT_FORMAT})`;
}

function valueSql({ kind }: Column, raw: string, isTolerant: boolean): string {
  if (kind === 'binary') return `unhex(substr(${raw}, 3))`;
  return isTolerant && hasOddValues(kind) ? `${raw}::${duckdbType(kind)}` : raw;
}

/** The condition under which the table's type holds a value; the same as `isOdd` for texts. */
function heldSql({ kind }: Column, raw: string, isTolerant: boolean): string[] {
  if (!hasOddValues(kind)) return [];
  if (!isTolerant) return isDecimal(kind) ? [] : [`(${raw} IS NULL OR isfinite(${raw}))`];
  const number = `regexp_matches(${raw}, '^-?[0-9]')`;
  if (isDecimal(kind)) return [`(${raw} IS NULL OR ${number})`];
  const year = kind === 'date' ? '' : ` AND try_cast(split_part(${raw}, '-', 1) AS INTEGER) <= 294246`;
  return [`(${raw} IS NULL OR (${number} AND NOT suffix(${raw}, ' BC')${year}))`];
}
