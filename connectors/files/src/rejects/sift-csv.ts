import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CsvDialect } from '../csv-header.ts';
import { fault } from '../fault.ts';
import { bytesOf } from '../look-through.ts';
import type { ReadyFile } from '../ready-file.ts';
import { headerOf } from '../row-end.ts';
import { saveBytes } from '../save-bytes.ts';
import { withHandle } from '../with-handle.ts';
import { type CsvRecord, csvScanner } from './csv-records.ts';
import { linesBefore } from './lines-before.ts';
import type { RejectedLine } from './reject-lines.ts';
import type { RejectReason } from './reject-reason.ts';
import { widthWatch } from './width-watch.ts';

/** How much of a file lies rewritten in the temporary folder at once. */
const PART_BYTES = 256 * 1024 * 1024;
const NEWLINE = Buffer.from('\n');
const MARK = /^\xef\xbb\xbf/;

export type Sifting = {
  readonly dialect: CsvDialect;
  /** How many rows of the file were given already. */
  readonly given?: number;
  readonly onRejected: (line: RejectedLine) => Promise<void>;
};
export type Parting = Sifting & {
  /** A folder of the caller's own. */
  readonly folder: string;
  readonly partBytes?: number;
};

/**
 * Divides a CSV file into rows, which come in clean parts one after the other, and lines that are none. A part is a copy of
 * the header and of rows that fit it, with LF behind each; the caller removes it before it asks for the next.
 */
export async function* siftCsv(file: ReadyFile, parting: Parting): AsyncGenerator<ReadyFile> {
  const { folder, partBytes = PART_BYTES } = parting;
  const { line } = await headerLine(file);
  const rows = siftRecords(file, parting);
  for (let count = 0, done = false; !done; count += 1) {
    const path = join(folder, `part-${count}`);
    const part = async function* () {
      yield Buffer.concat([line, NEWLINE]);
      for (let size = 0; size < partBytes; ) {
        const next = await rows.next();
        if (next.done === true) {
          done = true;
          return;
        }
        const bytes = Buffer.concat(next.value.flatMap((row) => [row.bytes, NEWLINE]));
        size += bytes.length;
        yield bytes;
      }
    };
    await saveBytes(path, part(), file.where());
    const own = { path, from: 0, to: Number.MAX_SAFE_INTEGER, isExact: false };
    yield { ...file, path, isEven: true, isDamaged: false, text: own };
  }
}

/** The header line of a file as it is, without a mark, and how many bytes it takes; `encoding_invalid` when it is no UTF-8. */
export async function headerLine(file: ReadyFile): Promise<{ readonly line: Buffer; readonly bytes: number }> {
  const { line, bytes } = await withHandle(file.text.path, file.where(), headerOf);
  const own = Buffer.from(line.replace(MARK, ''), 'latin1');
  if (!isUtf8(own)) throw fault('encoding_invalid', file.where(1));
  return { line: own, bytes };
}

/**
 * The rows of a CSV file that fit its header, block by block; lines that are no rows are given to `onRejected`.
 * `schema_changed_in_file` at the end when the header is not that of the rows.
 */
export async function* siftRecords(
  file: ReadyFile,
  { dialect, given = 0, onRejected }: Sifting,
): AsyncGenerator<CsvRecord[], void> {
  const { text } = file;
  const from = Math.max(text.from, (await headerLine(file)).bytes);
  const watch = widthWatch(dialect.fields);
  let left = given;
  const fitting = async (records: readonly CsvRecord[]) => {
    const rows: CsvRecord[] = [];
    for (const record of records) {
      if (record.length === 0 && dialect.fields > 1) continue;
      const reason = left > 0 ? undefined : reasonOf(record, dialect, file.isDamaged === true);
      watch.note(record, reason);
      if (left > 0) left -= 1;
      else if (reason === undefined) rows.push(record);
      else {
        await onRejected({ ...record, reason });
        if (record.isOpen) file.holdBack(record.byte);
      }
    }
    return rows;
  };
  const scanner = csvScanner(dialect, { byte: from, line: (await linesBefore(file, from)) + 1 });
  const handle = await open(text.path);
  try {
    for await (const block of bytesOf(handle, from, text.to)) yield await fitting(scanner.push(block));
  } finally {
    await handle.close();
  }
  const last = scanner.end();
  if (last !== undefined) yield await fitting([last]);
  const changed = watch.changedAt();
  if (changed !== undefined) throw fault('schema_changed_in_file', `${file.where()}, line ${changed}`);
}

function reasonOf(record: CsvRecord, { fields }: CsvDialect, isDamaged: boolean): RejectReason | undefined {
  if (record.reason !== undefined) return record.reason;
  if (isDamaged && !isUtf8(record.bytes)) return 'invalid_utf8';
  if (record.fields === fields) return undefined;
  return record.fields > fields ? 'row_too_wide' : 'row_too_short';
}
