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
  /** A folder of the caller's own. */
  readonly folder: string;
  /** How many rows of the file were given already. */
  readonly given?: number;
  readonly partBytes?: number;
  readonly onRejected: (line: RejectedLine) => Promise<void>;
};

/**
 * Divides a CSV file into rows, which come in clean parts one after the other, and lines that are none. A part is a copy of
 * the header and of rows that fit it, with LF behind each; the caller removes it before it asks for the next. `schema_changed_in_file` at the end when the header is not that of the rows.
 */
export async function* siftCsv(file: ReadyFile, sifting: Sifting): AsyncGenerator<ReadyFile> {
  const { text } = file;
  const { dialect, folder, partBytes = PART_BYTES } = sifting;
  const header = await withHandle(text.path, file.where(), headerOf);
  const line = Buffer.from(header.line.replace(MARK, ''), 'latin1');
  if (!isUtf8(line)) throw fault('encoding_invalid', file.where(1));
  const watch = widthWatch(dialect.fields);
  const rows = fittingRows(file, sifting, { headerBytes: header.bytes, watch });
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
        size += next.value.length;
        yield next.value;
      }
    };
    await saveBytes(path, part(), file.where());
    const own = { path, from: 0, to: Number.MAX_SAFE_INTEGER, isExact: false };
    yield { ...file, path, isEven: true, isDamaged: false, text: own };
  }
  const changed = watch.changedAt();
  if (changed !== undefined) throw fault('schema_changed_in_file', `${file.where()}, line ${changed}`);
}

type Watching = { readonly headerBytes: number; readonly watch: ReturnType<typeof widthWatch> };

/** The rows that fit, with LF behind each, block by block. What does not fit is given to `onRejected`. */
async function* fittingRows(
  file: ReadyFile,
  { dialect, given = 0, onRejected }: Sifting,
  { headerBytes, watch }: Watching,
): AsyncGenerator<Buffer, void> {
  const { text } = file;
  const from = Math.max(text.from, headerBytes);
  let left = given;
  const judged = async (records: readonly CsvRecord[]) => {
    const pieces: Buffer[] = [];
    for (const record of records) {
      if (record.length === 0 && dialect.fields > 1) continue;
      if (left > 0) {
        left -= 1;
        watch.note(record);
        continue;
      }
      const reason = reasonOf(record, dialect, file.isDamaged === true);
      watch.note(record, reason);
      if (reason === undefined) pieces.push(record.bytes, NEWLINE);
      else {
        await onRejected({ ...record, reason });
        if (record.isOpen) file.holdBack(record.byte);
      }
    }
    return Buffer.concat(pieces);
  };
  const before = await linesBefore(file, from);
  const scanner = csvScanner(dialect, { byte: from, line: before + 1 });
  const handle = await open(text.path);
  try {
    for await (const block of bytesOf(handle, from, text.to)) {
      const rows = await judged(scanner.push(block));
      if (rows.length > 0) yield rows;
    }
  } finally {
    await handle.close();
  }
  const last = scanner.end();
  if (last !== undefined) yield judged([last]);
}

function reasonOf(record: CsvRecord, { fields }: CsvDialect, isDamaged: boolean): RejectReason | undefined {
  if (record.reason !== undefined) return record.reason;
  if (isDamaged && !isUtf8(record.bytes)) return 'invalid_utf8';
  if (record.fields === fields) return undefined;
  return record.fields > fields ? 'row_too_wide' : 'row_too_short';
}
