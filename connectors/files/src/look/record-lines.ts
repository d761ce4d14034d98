import { openCsv } from '../csv-file.ts';
import type { ReadyFile } from '../ready-file.ts';
import type { CsvRecord } from '../rejects/csv-records.ts';
import type { RejectedLine } from '../rejects/reject-lines.ts';
import { siftRecords } from '../rejects/sift-csv.ts';

export type RecordLines = {
  /** The number of the first line of each row, in the order in which rows are sent. */
  readonly rows: readonly number[];
  readonly rejected: readonly RejectedLine[];
  readonly isWhole: boolean;
};

/** Where the first records of a CSV file begin, and which of them are no rows. */
export async function recordLines(file: ReadyFile, most: number): Promise<RecordLines> {
  const dialect = await openCsv(file);
  const rows: number[] = [];
  const rejected: RejectedLine[] = [];
  const onRejected = async (line: RejectedLine) => void rejected.push(line);
  const looked = { ...file, holdBack: () => undefined };
  const records: AsyncGenerator<CsvRecord[], void> = siftRecords(looked, { dialect, onRejected });
  for await (const block of records) {
    for (const { line } of block) {
      if (rows.length >= most) return { rows, rejected: rejected.filter((one) => one.line < line), isWhole: false };
      rows.push(line);
    }
  }
  return { rows, rejected, isWhole: true };
}
