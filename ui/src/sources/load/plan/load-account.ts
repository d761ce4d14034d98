import {
  type DiscoveryWarningView,
  FILE_EMPTY,
  FILE_NOT_FOUND,
  type FileAccount,
  type FileReason,
  fileOfStream,
  isReadFile,
  type StreamRunView,
  unreadFile,
  withoutFile,
} from '@weir/plugin-sources/contract';
import { type Named, streamOf, type UnsentFile } from './load-plan.ts';

/** A file with its stream; one that was not sent has none. */
export interface PlannedFile extends Omit<FileAccount, 'status'> {
  stream?: string | undefined;
  status: FileAccount['status'] | 'planned';
}

export interface Found extends Named {
  warnings: readonly Pick<DiscoveryWarningView, 'name' | 'code' | 'detail' | 'hint'>[];
  /** Why nothing at all was found. */
  failure?: FileReason | null | undefined;
}

const READ_AS_HINT = 'Say below what it is, if it is text.';

/** What will become of each file, or has become of it once its stream has run; in the order of names. */
export function accountOfFiles(
  given: { files: readonly string[]; unsent: readonly UnsentFile[] },
  found: Found,
  ran?: readonly StreamRunView[],
): PlannedFile[] {
  const known = { ...found, names: [...found.names, ...found.warnings.map(({ name }) => name)] };
  const sent = given.files.map((name): PlannedFile => {
    const stream = streamOf(name, known);
    // A warning is about a stream, or about one file of a stream that others describe.
    const warning = found.warnings.find((one) => one.name === name || one.name === stream);
    if (warning !== undefined) return { ...withoutFile(name, 'left_out', warning), stream };
    if (stream === undefined)
      return withoutFile(name, 'left_out', isReadFile(name) ? (found.failure ?? FILE_NOT_FOUND) : unread(name, ran));
    if (ran === undefined) return { name, stream, status: 'planned' };
    const run = ran.find((one) => one.name === stream);
    return {
      ...(run === undefined ? withoutFile(name, 'left_out', FILE_NOT_FOUND) : fileOfStream(name, name, run)),
      stream,
    };
  });
  const unsent = given.unsent.map(({ name, code }) => withoutFile(name, 'left_out', unsentReason(name, code)));
  return [...sent, ...unsent].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The hint of the command line names an option; the page has a field for it until the load. */
const unread = (name: string, ran: readonly StreamRunView[] | undefined): FileReason => ({
  ...unreadFile(name),
  hint: ran === undefined ? READ_AS_HINT : null,
});

function unsentReason(name: string, code: string): FileReason {
  switch (code) {
    case FILE_EMPTY.code:
      return FILE_EMPTY;
    case 'upload_name_repeated':
      return {
        code,
        detail: 'The server keeps it by the same name as another of the files.',
        hint: 'Rename one of them.',
      };
    case 'upload_name_invalid':
      return { code, detail: 'Nothing of its name can be the name of a file.', hint: 'Rename it.' };
    case 'file_unsent':
      return { code, detail: 'They were not sent: they have no bytes, or are never read.' };
    default:
      return unreadFile(name);
  }
}

/** What became of the records of a stream: the parts add up to all. */
export interface RecordAccount {
  records: number;
  rows: number;
  quarantine: number;
  merged: number;
  leftOut: number;
}

export function accountOfRecords(run: StreamRunView): RecordAccount {
  const merged = run.rows_deduplicated ?? 0;
  const [rows, quarantine, leftOut] = [run.rows_written - merged, run.rows_rejected, run.rows_left_out];
  return { records: rows + merged + quarantine + leftOut, rows, quarantine, merged, leftOut };
}
