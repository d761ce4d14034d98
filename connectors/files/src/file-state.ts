import { fault } from './fault.ts';
import type { SourceFile } from './source-file.ts';

/** What is known of a file that was read. */
export type FileEntry = {
  /** In bytes, as it lies there or came over the network, packed ones included. */
  readonly size: number;
  readonly mtime_ms?: number;
  readonly etag?: string;
  readonly last_modified?: string;
  /** How many bytes of its content, unpacked, were read, all of whose rows were given, and their hash. */
  readonly bytes?: number;
  readonly sha256?: string;
  /** The hash of all that was looked at, where the last line was no row yet and was not counted among the bytes. */
  readonly whole_sha256?: string;
};

/** The state of a stream: each file that was read, as it was then. */
export type FileState = {
  /** In the order in which they were last read. */
  readonly files: Readonly<Record<string, FileEntry>>;
  /** The rows of these files have the names of their files. */
  readonly named?: boolean;
};

/** What to read, each with what is known of it from before. */
export type FilePlan = {
  readonly toRead: readonly { readonly file: SourceFile; readonly known: FileEntry | undefined }[];
  readonly state: FileState;
  /** Names of files that were read before and are not there any more. */
  readonly gone: readonly string[];
  /** Whether there may be rows of before, and whether they have the names of their files. */
  readonly rows: 'none' | 'unnamed' | 'named';
};

/**
 * The files to look at and the state to start from: entries of files that are gone are dropped. A local file of known
 * size and time of change is not looked at; what is behind an address always is. Unknown states are empty.
 */
export function planFiles(files: readonly SourceFile[], state: unknown): FilePlan {
  const stored = objectOf(objectOf(state).files);
  const isNamed = objectOf(state).named === true;
  const all = files.map((file) => {
    const known = Object.hasOwn(stored, file.key) ? entryOf(stored[file.key]) : undefined;
    return { file, known };
  });
  const listed = new Set(files.map(({ key }) => key));
  const entries = Object.entries(stored).filter(([key]) => listed.has(key));
  return {
    toRead: all.filter(({ file, known }) => !isRead(file, known)),
    state: { files: Object.fromEntries(entries.map(([key, entry]) => [key, entryOf(entry)])), named: true },
    gone: Object.keys(stored).filter((key) => !listed.has(key)),
    rows: isNamed ? 'named' : Object.keys(stored).length > 0 ? 'unnamed' : 'none',
  };
}

/** The state after one more file, which is the last one that was read. */
export function withFile(state: FileState, { key }: SourceFile, entry: FileEntry): FileState {
  const others = Object.entries(state.files).filter(([other]) => other !== key);
  return { ...state, files: Object.fromEntries([...others, [key, entry] as const]) };
}

/** Whether a state says of a file that it is empty, or that nothing is packed in it. */
export function holdsNothing({ files }: FileState, { key, packing }: SourceFile): boolean {
  const entry = Object.hasOwn(files, key) ? files[key] : undefined;
  return entry?.size === 0 || (packing !== undefined && entry?.bytes === 0);
}

/** A stream of nothing but empty CSV files is `csv_header_missing`. */
export function assertHeader(files: readonly SourceFile[], isEmpty: (file: SourceFile) => boolean): void {
  const [first] = files;
  const isMissing = files.every((file) => file.format === 'csv' && isEmpty(file));
  if (first !== undefined && isMissing) throw fault('csv_header_missing', first.name);
}

function isRead({ place }: SourceFile, known: FileEntry | undefined): boolean {
  return 'path' in place && known?.size === place.size && known.mtime_ms === place.mtimeMs;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function entryOf(value: unknown): FileEntry {
  const entry = objectOf(value);
  const number = (key: string) => (typeof entry[key] === 'number' ? { [key]: entry[key] } : {});
  const text = (key: string) => (typeof entry[key] === 'string' ? { [key]: entry[key] } : {});
  const size = typeof entry.size === 'number' ? entry.size : -1;
  return {
    size,
    ...number('mtime_ms'),
    ...text('etag'),
    ...text('last_modified'),
    ...number('bytes'),
    ...text('sha256'),
    ...text('whole_sha256'),
  };
}
