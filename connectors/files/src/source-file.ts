export const FORMATS = ['csv', 'parquet', 'json', 'jsonl'] as const;
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'] as const;
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export const QUOTES = ['"', "'", 'none'] as const;
export const ESCAPES = ['"', "'", '\\'] as const;
export const COLUMN_TYPES = [
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'timestamp',
  'day_first',
  'month_first',
] as const;

export type FileFormat = (typeof FORMATS)[number];
export type Encoding = (typeof ENCODINGS)[number];
export type Delimiter = (typeof DELIMITERS)[number];
export type Packing = 'gzip' | 'zstd';

/** How a CSV file is written, as far as the configuration says it. */
export type CsvWriting = {
  readonly delimiter: Delimiter | undefined;
  readonly header?: boolean | undefined;
  readonly skip_lines?: number | undefined;
  readonly quote?: (typeof QUOTES)[number] | undefined;
  readonly escape?: (typeof ESCAPES)[number] | undefined;
};

/** The type that a person gives a column, whatever its values prove. */
export type ColumnChoice = { readonly column: string; readonly type: (typeof COLUMN_TYPES)[number] };

/** How a file is written and what its columns are, as far as the configuration says it. */
export type Writing = CsvWriting & {
  readonly format: FileFormat | undefined;
  readonly encoding: Encoding | undefined;
  readonly types?: readonly ColumnChoice[] | undefined;
};

/** A file of the folder as listed: its real path, size and time of change (milliseconds, to the microsecond). */
export type LocalPlace = {
  readonly path: string;
  readonly inode: bigint;
  readonly size: number;
  readonly mtimeMs: number;
};
/** A file behind an address; what is there shows when it is asked for. */
export type RemotePlace = { readonly url: string };

/** One file of a stream. `name` is its path below the folder, or the last part of its address: it may be shown. */
export type SourceFile = Omit<Writing, 'format' | 'types'> & {
  readonly name: string;
  /** What the state knows it by: the name in a folder, else the address without its query. */
  readonly key: string;
  readonly format: FileFormat;
  readonly packing: Packing | undefined;
  readonly place: LocalPlace | RemotePlace;
};
export type FileStream = {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly types?: readonly ColumnChoice[] | undefined;
};

const ENDINGS: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  parquet: 'parquet',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
};
const PACKINGS: Readonly<Record<string, Packing>> = { gz: 'gzip', zst: 'zstd' };

const UNREAD: Readonly<Record<string, 'spreadsheet_unread' | 'archive_unread'>> = {
  ...{ xlsx: 'spreadsheet_unread', xls: 'spreadsheet_unread', xlsm: 'spreadsheet_unread', ods: 'spreadsheet_unread' },
  ...{ zip: 'archive_unread', bz2: 'archive_unread', xz: 'archive_unread', '7z': 'archive_unread' },
  ...{ tar: 'archive_unread', tgz: 'archive_unread', rar: 'archive_unread' },
};

/** Why a file is not read whatever its format is said to be, by its ending; undefined for others. */
export function unreadKind(name: string): 'spreadsheet_unread' | 'archive_unread' | undefined {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  return Object.hasOwn(UNREAD, ending) ? UNREAD[ending] : undefined;
}

/** Whether a name says that tabs stand between fields. */
export const isTabbed = (name: string): boolean => /\.tsv(?:\.(?:gz|zst))?$/i.test(name);

/** What a file's name says: format and packing by its endings, and the name before them, without folders. */
export function endingsOf(name: string): {
  readonly stem: string;
  readonly format: FileFormat | undefined;
  readonly packing: Packing | undefined;
} {
  const parts = (name.split('/').at(-1) ?? '').split('.');
  const ending = <T>(known: Readonly<Record<string, T>>): T | undefined => {
    const last = parts.length > 1 ? (parts.at(-1) ?? '').toLowerCase() : '';
    if (!Object.hasOwn(known, last)) return undefined;
    parts.pop();
    return known[last];
  };
  const packing = ending(PACKINGS);
  const format = ending(ENDINGS);
  // A file of an unknown ending counts when its stream names the format.
  if (format === undefined && parts.length > 1) parts.pop();
  return { stem: parts.join('.'), format, packing };
}
