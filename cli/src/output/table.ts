import stringWidth from 'string-width';

const GAP = '  ';

/** A cell as text: nothing for absent, JSON for nested values, one line always. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) => (char === '\n' || char === '\t' ? ' ' : ''));
}

const numeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** Rows under their headings, columns aligned by what they take on a terminal; numbers to the right, nothing cut. */
export function table(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])));
  const right = columns.map(
    (column) => rows.length > 0 && rows.every((row) => row[column] == null || numeric(row[column])),
  );
  const heads = columns.map((column) => column.toUpperCase());
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
  const width = Object.keys(record).reduce((longest, key) => Math.max(longest, stringWidth(key)), 0);
  return Object.entries(record)
    .map(([key, value]) => `${key}${' '.repeat(width - stringWidth(key))}${GAP}${cellText(value)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}
