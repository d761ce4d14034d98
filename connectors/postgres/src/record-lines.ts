import { csvRows } from './csv-row.ts';
import { recordLine, rowJson } from './row-json.ts';
import type { SinkOptions } from './row-sink.ts';

/** The RECORD lines of the rows of a COPY in CSV form. */
export function recordLines(
  { columns, fixed, envelope }: Omit<SinkOptions, 'emit'>,
  csv: Buffer,
): { lines: Buffer; count: number } {
  const same = fixed.map(({ name, json }) => `${JSON.stringify(name)}:${json}`);
  const lines: string[] = [];
  for (const values of csvRows(csv)) {
    const row = rowJson(columns, values);
    row.members.push(...same);
    lines.push(recordLine(envelope, row));
  }
  return { lines: Buffer.from(lines.join('')), count: lines.length };
}
