import {
  type DiscoveryWarningView,
  FILE_EMPTY,
  FILE_NOT_FOUND,
  type FileAccount,
  type FileStreamRun,
  fileOfStream,
  fileStem,
  hasLoadedFiles,
  type StreamRunView,
  unreadFile,
  uploadName,
  withoutFile,
} from '@weir/plugin-sources/contract';
import type { ExitName } from '../../exit-codes.ts';
import type { ToLoad } from './what-to-load.ts';

type Warning = Pick<DiscoveryWarningView, 'name' | 'code' | 'detail' | 'hint'>;
type Stream = FileStreamRun & Pick<StreamRunView, 'rows_with_errors' | 'rows_rejected'>;

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
    if (empty.has(name)) return withoutFile(name, 'left_out', FILE_EMPTY);
    // A file has the name of its stream, or the whole of a source's one stream.
    const kept = uploadName(name);
    const names = what.isOne ? [what.name] : [name, kept, fileStem(name), fileStem(kept)];
    const own = names.find((one) => unseen.has(one) || ran.has(one)) ?? name;
    const warning = unseen.get(own);
    if (warning !== undefined) return withoutFile(name, 'left_out', warning);
    const stream = ran.get(own);
    return stream === undefined ? withoutFile(name, 'left_out', FILE_NOT_FOUND) : fileOfStream(name, kept, stream);
  };
  const others = what.others.map((name) => withoutFile(name, 'left_out', unreadFile(name)));
  return [...what.files.map(account), ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * How a load ends whose run has ended: `mixed` where some of what was given was left out and some was loaded, and in `strict`
 * where a row was marked or rejected; `failed` where nothing was loaded.
 */
export function endOf(files: readonly FileAccount[], streams: readonly Stream[], strict: boolean): ExitName {
  const isLeft =
    files.some(({ status }) => status !== 'loaded') || streams.some(({ status }) => status !== 'succeeded');
  if (!streams.some(hasLoadedFiles)) return 'failed';
  const isMarked = streams.some(({ rows_with_errors, rows_rejected }) => rows_with_errors > 0 || rows_rejected > 0);
  return isLeft || (strict && isMarked) ? 'mixed' : 'ok';
}
