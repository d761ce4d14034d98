/** Endings of files that the connector of files reads, with what packs them. */
const ENDINGS = /\.(csv|tsv|parquet|jsonl?|ndjson)(\.(gz|zst))?$/i;
const SPREADSHEET = /\.(xlsx?|xlsm|ods)$/i;
const ARCHIVE = /\.(zip|bz2|xz|7z|tar|tgz|rar)$/i;

export const ENDINGS_HINT =
  'Endings: .csv, .tsv, .json, .jsonl, .ndjson, .parquet, each also with .gz or .zst. For any other, say what it is: --format csv';

/** Whether the ending of a file says a format that is read. */
export const isReadFile = (file: string): boolean => ENDINGS.test(file);

/** Whether a file is read in no format, whatever a person says that it is. */
export const isNeverRead = (file: string): boolean => SPREADSHEET.test(file) || ARCHIVE.test(file);

/** The name of a file without what says its format and packing. */
export const fileStem = (file: string): string => file.replace(ENDINGS, '');

const MAX_SOURCE_NAME = 63;

/** Letters as they are without accents and umlauts: `u` of `ü`. */
export const withoutMarks = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

/** A name of a source made of a file name: its letters, digits and dashes, without endings and what a glob leaves open. */
export function sourceNameOf(file: string): string {
  const plain = withoutMarks(fileStem(file))
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|[-_]+$/g, '');
  return plain.slice(0, MAX_SOURCE_NAME) || 'files';
}

/** Why a file of another ending is not read, and what helps. */
export function unreadFile(file: string): { code: string; detail: string; hint: string } {
  if (SPREADSHEET.test(file)) {
    const detail = 'It is a spreadsheet, which cannot be read.';
    return { code: 'spreadsheet_unread', detail, hint: 'Save each of its sheets as CSV.' };
  }
  if (ARCHIVE.test(file)) {
    const detail = 'It is packed in a way that cannot be read.';
    return { code: 'archive_unread', detail, hint: 'Unpack it, or pack each file by itself with gzip or zstd.' };
  }
  return { code: 'format_unknown', detail: 'Its ending says no format.', hint: ENDINGS_HINT };
}
