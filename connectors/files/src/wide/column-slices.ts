import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { csvSource } from '../csv-file.ts';
import type { CsvDialect } from '../csv-header.ts';
import type { ReadyFile } from '../ready-file.ts';
import type { CsvRecord } from '../rejects/csv-records.ts';
import { fieldEnds } from './field-ends.ts';

/** Files of more columns are read a slice of columns at a time: DuckDB holds vectors of 2,048 values for each column. */
export const WIDE_COLUMNS = 300;
const SLICE_COLUMNS = 100;
const NEWLINE = Buffer.from('\n');

/** Columns that lie side by side in a file. */
export type ColumnSlice = { readonly from: number; readonly names: readonly string[]; readonly path: string };

/** The slices of a file's columns, each with a path of its own in a folder. */
export function columnSlices(names: readonly string[], folder: string): ColumnSlice[] {
  const slices: ColumnSlice[] = [];
  for (let from = 0; from < names.length; from += SLICE_COLUMNS) {
    slices.push({ from, names: names.slice(from, from + SLICE_COLUMNS), path: join(folder, `slice-${from}`) });
  }
  return slices;
}

/** The table of texts of a slice. */
export function sliceSource(file: ReadyFile, { path, names }: ColumnSlice, dialect: CsvDialect): string {
  return csvSource({ ...file, path, isEven: true }, { ...dialect, fields: names.length }, names);
}

/** Adds rows to the file of each slice, which begins with a line that is none. */
export async function writeSlices(
  slices: readonly ColumnSlice[],
  rows: readonly CsvRecord[],
  { delimiter, isNew }: { readonly delimiter: string; readonly isNew: boolean },
): Promise<void> {
  const cut = rows.map(({ bytes }) => ({ bytes, ends: fieldEnds(bytes, delimiter) }));
  for (const { from, names, path } of slices) {
    const pieces: Buffer[] = isNew ? [Buffer.from(`x${delimiter.repeat(names.length - 1)}\n`)] : [];
    for (const { bytes, ends } of cut) {
      const begin = from === 0 ? 0 : (ends[from - 1] ?? 0) + 1;
      pieces.push(bytes.subarray(begin, ends[from + names.length - 1]), NEWLINE);
    }
    await writeFile(path, Buffer.concat(pieces), { flag: isNew ? 'w' : 'a', mode: 0o600 });
  }
}
