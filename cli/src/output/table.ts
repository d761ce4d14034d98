import stringWidth from 'string-width';
import { ageText } from '../duration.ts';
import { plainText } from '../plain-text.ts';

const GAP = '  ';

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

/** Rows under their headings, columns aligned by what they take on a terminal; numbers to the right, nothing cut. */
export function table(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const cells = rows.map((row) => columns.map((column) => cellText(shownAt(row, column))));
  const right = columns.map(
    (column) => rows.length > 0 && rows.every((row) => valueAt(row, column) == null || numeric(valueAt(row, column))),
  );
  const heads = columns.map((column) => cellText(headOf(column, rows[0])).toUpperCase());
  const widths = heads.map((head, i) =>
    cells.reduce((width, row) => Math.max(width, stringWidth(row[i] ?? '')), stringWidth(head)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => {
        const space = ' '.repeat((widths[i] ?? 0) - stringWidth(text));
        return right[i] ? space + text : text + space;
      })
      .join(GAP)
      .trimEnd();
  return `${[heads, ...cells].map(line).join('\n')}\n`;
}

/** One record, a field a line. */
export function recordTable(record: Record<string, unknown>): string {
  const fields = Object.entries(record).map(([key, value]) => [cellText(key), value] as const);
  const width = fields.reduce((longest, [key]) => Math.max(longest, stringWidth(key)), 0);
  return fields
    .map(([key, value]) => `${key}${' '.repeat(width - stringWidth(key))}${GAP}${cellText(value)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
