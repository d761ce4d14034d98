/** A column as previews and queries name it. */
export interface GridColumn {
  name: string;
  type: string;
}

const NUMBER = /^(u?(tiny|small|big|huge)?int|u?integer|long|float|double|real|decimal)(\(.*\))?$/i;
const SAMPLED_ROWS = 50;
const CHAR_PX = 8.4;
const PAD_PX = 26;
const MIN_PX = 84;
const MAX_PX = 320;

export const isNumeric = ({ type }: GridColumn): boolean => NUMBER.test(type);

/** What a cell says; undefined for NULL, which is no text. */
export function cellText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A column's width in pixels from its head and its first rows. */
export function columnWidth({ name, type }: GridColumn, at: number, rows: readonly unknown[][]): number {
  const texts = rows.slice(0, SAMPLED_ROWS).map((row) => cellText(row[at])?.length ?? 4);
  const longest = Math.max(name.length, type.length * 0.85, ...texts);
  return Math.round(Math.min(MAX_PX, Math.max(MIN_PX, longest * CHAR_PX + PAD_PX)));
}

/** Rows as CSV with a head. NULL is an empty field, an empty text is quoted. */
export function csvOf(columns: readonly GridColumn[], rows: readonly unknown[][]): string {
  const field = (value: unknown): string => {
    const text = cellText(value);
    if (text === undefined) return '';
    return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns.map(({ name }) => name), ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
