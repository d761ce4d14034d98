import type { DiscoveryWarningView } from '../stream/discovery-warning.ts';
import type { StreamRunView } from './syncs.ts';

/**
 * A file that was named or matched, and what became of it; `code` and `reason` are there unless it was loaded. `unknown`: of the
 * files of its stream some were left out, and the run does not name them all.
 */
export interface FileAccount {
  name: string;
  status: 'loaded' | 'left_out' | 'unknown';
  code?: string;
  reason?: string;
}

/** Why something is not there, and what helps. */
export type FileReason = Pick<DiscoveryWarningView, 'code' | 'detail'> & { hint?: string | null };
type FileCounts = Pick<StreamRunView, 'files_read' | 'files_unchanged' | 'files_left_out' | 'left_out'>;
/** What a sync says of a stream of files. */
export type FileStreamRun = Pick<StreamRunView, 'name' | 'status' | 'failure'> & FileCounts;

const LEFT_OUT = 'file_left_out';
const NOT_NAMED = { code: LEFT_OUT, detail: 'Its stream has left files out, and not all are named.', hint: null };
export const FILE_EMPTY: FileReason = { code: 'file_empty', detail: 'It has no bytes.' };
export const FILE_NOT_FOUND: FileReason = {
  code: 'not_discovered',
  detail: 'The discovery has found no stream for it.',
};

/** What a stream says of one of its files. `kept`: its name in an upload. */
export function fileOfStream(name: string, kept: string, stream: FileStreamRun): FileAccount {
  const { status, failure, files_read, files_unchanged, files_left_out, left_out } = stream;
  const notes = left_out.filter(({ kind }) => kind === 'file_left_out');
  const own = notes.find(({ file }) => file === name || file === kept);
  if (own !== undefined)
    return withoutFile(name, 'left_out', { code: own.code ?? LEFT_OUT, detail: own.message ?? '' });
  const isEachNamed = notes.length === files_left_out;
  if (status === 'succeeded' || (files_left_out > 0 && isEachNamed)) return { name, status: 'loaded' };
  const isNoneKept = files_read + files_unchanged === 0;
  return withoutFile(name, isNoneKept ? 'left_out' : 'unknown', failure ?? NOT_NAMED);
}

/** A file that is not loaded, or of which nothing is known. */
export function withoutFile(name: string, status: 'left_out' | 'unknown', reason: FileReason): FileAccount {
  const { code, detail, hint } = reason;
  return { name, status, code, reason: hint ? `${detail} ${hint}` : detail };
}

/** Whether a stream has all its files in its table, or some of them. */
export const hasLoadedFiles = ({
  status,
  files_read,
  files_unchanged,
}: Pick<FileStreamRun, 'status' | 'files_read' | 'files_unchanged'>): boolean =>
  status === 'succeeded' || files_read + files_unchanged > 0;
