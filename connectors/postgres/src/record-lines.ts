import { csvRows, type Value } from './csv-row.ts';
import { isOdd, memberJson } from './row-json.ts';
import type { SinkOptions } from './row-sink.ts';

/** The RECORD line of a row. A value that its column cannot hold goes along a second time, as a member of its own. */
export function recordLine({ columns, fixed, envelope }: Omit<SinkOptions, 'emit'>, row: readonly Value[]): string {
  const members = columns.map((column, index) => memberJson(column, row[index] ?? null));
  const all = [...members, ...fixed.map(({ name, json }) => `${JSON.stringify(name)}:${json}`)];
  return `${envelope.prefix}{${all.join(',')}}${envelope.suffix}`;
}

/** The RECORD lines of the rows of a COPY, all of them or those with a value that its column cannot hold. */
export function recordLines(
  options: Omit<SinkOptions, 'emit'>,
  csv: Buffer,
  which: 'all' | 'odd' = 'all',
): { lines: Buffer; count: number } {
  const lines: string[] = [];
  for (const row of csvRows(csv)) {
    if (which === 'all' || isOddRow(options, row)) lines.push(recordLine(options, row));
  }
  return { lines: Buffer.from(lines.join('')), count: lines.length };
}

function isOddRow({ columns }: Pick<SinkOptions, 'columns'>, row: readonly Value[]): boolean {
  return columns.some(({ kind }, index) => {
    const value = row[index] ?? null;
    return value !== null && isOdd(kind, value);
  });
}
