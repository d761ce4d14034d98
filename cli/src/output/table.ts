import stringWidth from 'string-width';
import { plainText } from '../plain-text.ts';

const GAP = '  ';

/** A cell as text: nothing for absent, JSON for nested values, one line always. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return plainText(text).replace(/[\n\t]/g, ' ');
}

const numeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** A field by its name, or by a path with dots where no field has that name. */
export function valueAt(row: Record<string, unknown>, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const step = (value: unknown, key: string) => (value as Record<string, unknown> | null | undefined)?.[key];
  return column.split('.').reduce(step, row as unknown);
}

/** A path goes under its last name. */
export function headOf(column: string, row: Record<string, unknown> = {}): string {
  return Object.hasOwn(row, column) ? column : (column.split('.').at(-1) ?? column);
}

/** Rows under their headings, columns aligned by what they take on a terminal; numbers to the right, nothing cut. */
export function table(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const cells = rows.map((row) => columns.map((column) => cellText(valueAt(row, column))));
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
