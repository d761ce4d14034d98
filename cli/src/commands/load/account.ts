import { type DiscoveryWarningView, type StreamRunView, uploadName } from '@weir/plugin-sources/contract';
import type { ExitName } from '../../exit-codes.ts';
import { stemOf, type ToLoad, unreadFile } from './what-to-load.ts';

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

type Warning = Pick<DiscoveryWarningView, 'name' | 'code' | 'detail' | 'hint'>;
type FileCounts = Pick<StreamRunView, 'files_read' | 'files_unchanged' | 'files_left_out' | 'left_out'>;
type Stream = Pick<StreamRunView, 'name' | 'status' | 'failure' | 'rows_with_errors' | 'rows_rejected'> & FileCounts;

/** What became of each file, by the streams of a sync and what the discovery before it could not describe; in the order of names. */
export function accountOf(
  what: ToLoad,
  { warnings, empty }: { warnings: readonly Warning[]; empty: ReadonlySet<string> },
  streams: readonly Stream[],
): FileAccount[] {
  if (what.kind === 'url') return [];
  const ran = new Map(streams.map((one) => [one.name, one]));
  const unseen = new Map(warnings.map((one) => [one.name, one]));
  const account = (name: string): FileAccount => {
    if (empty.has(name)) return without(name, 'left_out', EMPTY);
    // A file has the name of its stream, or the whole of a source's one stream.
    const kept = uploadName(name);
    const names = what.isOne ? [what.name] : [name, kept, stemOf(name), stemOf(kept)];
    const own = names.find((one) => unseen.has(one) || ran.has(one)) ?? name;
    const warning = unseen.get(own);
    if (warning !== undefined) return without(name, 'left_out', warning);
    const stream = ran.get(own);
    return stream === undefined ? without(name, 'left_out', NOT_FOUND) : ofStream(name, kept, stream);
  };
  const others = what.others.map((name) => without(name, 'left_out', unreadFile(name)));
  return [...what.files.map(account), ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a stream says of one of its files. */
function ofStream(name: string, kept: string, stream: Stream): FileAccount {
  const { status, failure, files_read, files_unchanged, files_left_out, left_out } = stream;
  const notes = left_out.filter(({ kind }) => kind === 'file_left_out');
  const own = notes.find(({ file }) => file === name || file === kept);
  if (own !== undefined) return without(name, 'left_out', { code: own.code ?? LEFT_OUT, detail: own.message ?? '' });
  const isEachNamed = notes.length === files_left_out;
  if (status === 'succeeded' || (files_left_out > 0 && isEachNamed)) return { name, status: 'loaded' };
  const isNoneKept = files_read + files_unchanged === 0;
  return without(name, isNoneKept ? 'left_out' : 'unknown', failure ?? NOT_NAMED);
}

const LEFT_OUT = 'file_left_out';
export const EMPTY = { code: 'file_empty', detail: 'It has no bytes.', hint: null };
const NOT_FOUND = { code: 'not_discovered', detail: 'The discovery has found no stream for it.', hint: null };
const NOT_NAMED = { code: LEFT_OUT, detail: 'Its stream has left files out, and not all are named.', hint: null };

function without(
  name: string,
  status: 'left_out' | 'unknown',
  { code, detail, hint }: Pick<Warning, 'code' | 'detail'> & { hint?: string | null },
): FileAccount {
  return { name, status, code, reason: hint ? `${detail} ${hint}` : detail };
}

/** Whether a stream has all its files in its table, or some of them. */
export const hasLoaded = ({
  status,
  files_read,
  files_unchanged,
}: Pick<Stream, 'status' | 'files_read' | 'files_unchanged'>) =>
  status === 'succeeded' || files_read + files_unchanged > 0;

/**
 * How a load ends whose run has ended: `mixed` where some of what was given was left out and some was loaded, and in `strict`
 * where a row was marked or rejected; `failed` where nothing was loaded.
 */
export function endOf(files: readonly FileAccount[], streams: readonly Stream[], strict: boolean): ExitName {
  const isLeft =
    files.some(({ status }) => status !== 'loaded') || streams.some(({ status }) => status !== 'succeeded');
  if (!streams.some(hasLoaded)) return 'failed';
  const isMarked = streams.some(({ rows_with_errors, rows_rejected }) => rows_with_errors > 0 || rows_rejected > 0);
  return isLeft || (strict && isMarked) ? 'mixed' : 'ok';
}
