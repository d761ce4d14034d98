import type { SourceFile } from './list-files.ts';

/** The state of a stream: each file that was read whole, as it was then. */
export type FileState = {
  readonly files: Readonly<Record<string, { readonly size: number; readonly mtime_ms: number }>>;
};

/** The files to read and the state to start from: entries of files that are gone are dropped. Unknown states are empty. */
export function planFiles(
  files: readonly SourceFile[],
  state: unknown,
): { readonly toRead: readonly SourceFile[]; readonly state: FileState } {
  const known = (state as Partial<FileState> | undefined)?.files ?? {};
  const isRead = (file: SourceFile) => {
    const entry = Object.hasOwn(known, file.name) ? known[file.name] : undefined;
    return entry !== undefined && entry.size === file.size && entry.mtime_ms === file.mtimeMs;
  };
  const start: FileState = { files: {} };
  return {
    toRead: files.filter((file) => !isRead(file)),
    state: files.filter(isRead).reduce(withFile, start),
  };
}

/** The state after one more file. */
export function withFile(state: FileState, file: SourceFile): FileState {
  const entry = [file.name, { size: file.size, mtime_ms: file.mtimeMs }] as const;
  return { files: Object.fromEntries([...Object.entries(state.files), entry]) };
}
