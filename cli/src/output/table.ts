import stringWidth from 'string-width';
import { ageText } from '../duration.ts';
import { plainText } from '../plain-text.ts';
import { cut, wrapped } from './fit.ts';

const GAP = '  ';
/** The least that a text is cut to before columns are left out. */
const LEAST_CELL = 12;
/** Columns of sentences. */
const PROSE = new Set('description detail found hint items meaning message next_step summary title why'.split(' '));
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;

/** A cell as text: nothing for absent, JSON for nested values, one line always. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return plainText(text).replace(/[\n\t]/g, ' ');
}

const numeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** A column as an endpoint names it: a path, and the heading that `as` gives it. */
function namedColumn(column: string): { at: string; head?: string } {
  const [at = '', head] = column.split(' as ');
  return head === undefined ? { at: column } : { at, head };
}

/** A field by its name, or by a path with dots where no field has that name. */
export function valueAt(row: Record<string, unknown>, column: string): unknown {
  const { at } = namedColumn(column);
  const own = [column, at].find((name) => Object.hasOwn(row, name));
  if (own !== undefined) return row[own];
  const step = (value: unknown, key: string) => (value as Record<string, unknown> | null | undefined)?.[key];
  return at.split('.').reduce(step, row as unknown);
}

/** A path goes under its last name, or the one that `as` gives it. */
export function headOf(column: string, row: Record<string, unknown> = {}): string {
  if (Object.hasOwn(row, column)) return column;
  return namedColumn(column).head ?? column.split('.').at(-1) ?? column;
}

/** The value of a column for people: a time under the heading `age` is how long ago it was. */
function shownAt(row: Record<string, unknown>, column: string): unknown {
  const value = valueAt(row, column);
  return headOf(column, row) === 'age' && typeof value === 'string' && !Object.hasOwn(row, column)
    ? ageText(value)
    : value;
}

/** How a table is drawn. */
export interface TableOptions {
  /** Columns of the terminal that every line has to fit; nothing is cut or left out unless given. */
  width?: number | undefined;
  /** Rows of a user: names as they are, NULL where a value is absent. */
  isData?: boolean | undefined;
  /** Types by column, in a line below the names. */
  types?: Readonly<Record<string, string>> | undefined;
}

/** One column with its texts, and how few columns of the terminal it can do with. */
interface Column {
  head: string[];
  cells: string[];
  isRight: boolean;
  /** Sentences: broken into lines where room is short, never cut. */
  isProse: boolean;
  natural: number;
  least: number;
}

/** Rows under their headings, columns aligned by what they take on a terminal; numbers to the right. */
export function table(
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
  { width, isData = false, types }: TableOptions = {},
): string {
  const all = columns.map((column) => columnOf(column, rows, { width, isData, types }));
  const shown = width === undefined ? all.length : roomFor(all, width);
  const kept = all.slice(0, shown);
  const widths = widthsOf(kept, width);
  const heads = kept.map(({ head }) => head);
  const cellsOf = (at: number) =>
    kept.map(({ cells, isProse }, i) => linesOf(cells[at] ?? '', widths[i] ?? 0, isProse));
  const lines = [heads, ...rows.map((_, at) => cellsOf(at))].flatMap((row) =>
    Array.from({ length: Math.max(1, ...row.map((texts) => texts.length)) }, (_, nth) =>
      row
        .map((texts, i) => {
          const text = cut(texts[nth] ?? '', widths[i] ?? 0);
          const space = ' '.repeat((widths[i] ?? 0) - stringWidth(text));
          return kept[i]?.isRight ? space + text : text + space;
        })
        .join(GAP)
        .trimEnd(),
    ),
  );
  const missing = all.length - shown;
  if (missing > 0) lines.push(`(+${missing} column${missing === 1 ? '' : 's'}: -o wide)`);
  return `${lines.join('\n')}\n`;
}

function columnOf(column: string, rows: readonly Record<string, unknown>[], options: TableOptions): Column {
  const values = rows.map((row) => (options.isData ? row[column] : shownAt(row, column)));
  const isRight = rows.length > 0 && values.every((value) => value == null || numeric(value));
  const cells = values.map((value) => (options.isData ? dataText(value) : textFor(value, options.width)));
  const title = options.isData ? cellText(column) : cellText(headOf(column, rows[0])).toUpperCase();
  const head = options.types === undefined ? [title] : [title, cellText(options.types[column])];
  const natural = [...head, ...cells].reduce((most, text) => Math.max(most, stringWidth(text)), 0);
  const name = options.isData ? '' : headOf(column, rows[0]).toLowerCase();
  const isWhole = isRight || /(^|_)(id|url|at)$/.test(name);
  const isProse = PROSE.has(name);
  return { head, cells, isRight, isProse, natural, least: isWhole ? natural : Math.min(natural, LEAST_CELL) };
}

const linesOf = (text: string, width: number, isProse: boolean): string[] =>
  isProse && stringWidth(text) > width ? wrapped(text, width) : [text];

const dataText = (value: unknown) => (value === undefined || value === null ? 'NULL' : cellText(value));

/** A cell of ours; where room is short, a time is given to the minute. */
function textFor(value: unknown, width: number | undefined): string {
  const text = cellText(value);
  const time = width === undefined ? null : TIME.exec(text);
  return time === null ? text : `${time[1]} ${time[2]}Z`;
}

/** How many of the first columns fit with each as narrow as it can be; at least one. */
function roomFor(columns: readonly Column[], width: number): number {
  let used = -GAP.length;
  for (const [at, { least }] of columns.entries()) {
    used += least + GAP.length;
    if (used > width) return Math.max(1, at);
  }
  return columns.length;
}

/** Natural widths, the widest made narrower until the line fits. */
function widthsOf(columns: readonly Column[], width = Number.POSITIVE_INFINITY): number[] {
  const widths = columns.map(({ natural }) => natural);
  const total = () => widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length);
  for (let over = total() - width; over > 0; over = total() - width) {
    const spare = widths.map((each, i) => (each > (columns[i]?.least ?? 0) ? each : 0));
    const most = Math.max(...spare);
    if (most === 0) return widths.map((each) => Math.min(each, width));
    widths[spare.indexOf(most)] = most - 1;
  }
  return widths;
}

/** One record, a field a line; a value of several words is wrapped where `width` is given. */
export function recordTable(record: Record<string, unknown>, width?: number): string {
  const fields = Object.entries(record).map(([key, value]) => [cellText(key), value] as const);
  const longest = fields.reduce((most, [key]) => Math.max(most, stringWidth(key)), 0);
  const lines = fields.flatMap(([key, value]) => {
    const line = `${key}${' '.repeat(longest - stringWidth(key))}${GAP}${cellText(value)}`.trimEnd();
    return width === undefined || stringWidth(line) <= width ? [line] : wrapped(line, width, longest + GAP.length);
  });
  return lines.map((line) => `${line}\n`).join('');
}
