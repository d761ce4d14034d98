import { escapeUnseen } from '../plain-text.ts';
import { headOf, valueAt } from './table.ts';

/** Rows as RFC 4180 has them but for the ends of lines, below their names; nothing for absent, JSON for nested values. */
export function csv(columns: readonly string[], rows: readonly Record<string, unknown>[]): string {
  const heads = columns.map((column) => cell(headOf(column, rows[0])));
  const lines = rows.map((row) => columns.map((column) => cell(valueAt(row, column))));
  return [heads, ...lines].map((cells) => `${cells.join(',')}\n`).join('');
}

/** A quote, comma or line break needs quotes around its cell; an empty text has them to differ from an absent value. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = escapeUnseen(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
