import { type Emit, SourceError } from '@weir/connector-sdk';
import type { SourceFile } from '../source-file.ts';

/** Why a file is left out that has no fault of its own. */
const ENDED = {
  kind: 'file_left_out',
  code: 'stream_ended',
  message: 'The stream failed before the file was read, or before its rows were kept',
} as const;

/** More files than the platform keeps by name are counted. */
const MAX_NAMED = 100;

/** Says of each file of a stream once whether it is read, unchanged or left out. */
export type FileAccount = {
  readonly unchanged: (files: readonly SourceFile[]) => Promise<void>;
  /** The rows of the file wait for the next state. */
  readonly read: (file: SourceFile) => Promise<void>;
  /** A state covers what was read before it. */
  readonly covered: () => void;
  readonly leftOut: (file: SourceFile, error: SourceError) => Promise<void>;
  /** Files of which nothing was said, or whose rows no state covers, are left out: the stream has failed. */
  readonly end: () => Promise<void>;
  /** The first failure of a file, once some were left out; it says how many. */
  readonly failure: () => SourceError | undefined;
};

/** Begins the account of a stream. `isKept`: what a state covers is kept when the stream fails later. */
export function openAccount(files: readonly SourceFile[], emit: Emit, isKept: boolean): FileAccount {
  const open = new Set(files);
  const waiting = new Set<SourceFile>();
  let first: SourceError | undefined;
  let count = 0;
  return {
    async unchanged(known) {
      const some = known.filter((file) => open.delete(file));
      if (some.length > 0) await emit.note({ kind: 'file_unchanged', count: some.length });
    },
    async read(file) {
      if (!open.delete(file)) return;
      waiting.add(file);
      await emit.note({ kind: 'file_read', count: 1 });
    },
    covered() {
      if (isKept) waiting.clear();
    },
    async leftOut(file, error) {
      first ??= error;
      count += 1;
      if (!open.delete(file) && !waiting.delete(file)) return;
      const { code, message, hint } = error;
      const words = hint === undefined ? message : `${message}. ${hint}`;
      await emit.note({ kind: 'file_left_out', count: 1, file: file.name, code, message: words });
    },
    async end() {
      const rest = files.filter((file) => open.has(file) || waiting.has(file));
      count += rest.length;
      for (const file of rest.slice(0, MAX_NAMED)) await emit.note({ ...ENDED, count: 1, file: file.name });
      if (rest.length > MAX_NAMED) await emit.note({ ...ENDED, count: rest.length - MAX_NAMED });
      open.clear();
      waiting.clear();
    },
    failure() {
      if (first === undefined || files.length === 1) return first;
      const { code, type, message, origin, hint = '' } = first;
      const counted = `${count} of the ${files.length} files of the stream ${count === 1 ? 'was' : 'were'} left out.`;
      return new SourceError(code, { type, message, hint: `${hint} ${counted}`, ...(origin && { origin }) });
    },
  };
}

/** Whether a failure is of the file, so that others may be read all the same. */
export const isOfFile = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.type === 'config_error';
