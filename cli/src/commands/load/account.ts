import { type DiscoveryWarningView, type StreamRunView, uploadName } from '@weir/plugin-sources/contract';
import type { ExitName } from '../../exit-codes.ts';
import { stemOf, type ToLoad, unreadFile } from './what-to-load.ts';

/** A file that was named or matched, and what became of it; `code` and `reason` are there for one that was left out. */
export interface FileAccount {
  name: string;
  status: 'loaded' | 'left_out';
  code?: string;
  reason?: string;
}

type Warning = Pick<DiscoveryWarningView, 'name' | 'code' | 'detail' | 'hint'>;
type Stream = Pick<StreamRunView, 'name' | 'status' | 'failure' | 'rows_with_errors' | 'rows_rejected'>;

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
    if (empty.has(name)) return leftOut(name, EMPTY);
    // A file has the name of its stream, or the whole of a source's one stream.
    const kept = uploadName(name);
    const names = what.isOne ? [what.name] : [name, kept, stemOf(name), stemOf(kept)];
    const own = names.find((one) => unseen.has(one) || ran.has(one)) ?? name;
    const warning = unseen.get(own);
    if (warning !== undefined) return leftOut(name, warning);
    const stream = ran.get(own);
    if (stream?.status === 'succeeded') return { name, status: 'loaded' };
    return leftOut(name, stream?.failure ?? NOT_FOUND);
  };
  const others = what.others.map((name) => leftOut(name, unreadFile(name)));
  return [...what.files.map(account), ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const EMPTY = { code: 'file_empty', detail: 'It has no bytes.', hint: null };
const NOT_FOUND = { code: 'not_discovered', detail: 'The discovery has found no stream for it.', hint: null };

function leftOut(name: string, { code, detail, hint }: Pick<Warning, 'code' | 'detail'> & { hint?: string | null }) {
  return { name, status: 'left_out' as const, code, reason: hint ? `${detail} ${hint}` : detail };
}

/**
 * How a load ends whose run has ended: `mixed` where some of what was given was left out and some was loaded, and in `strict`
 * where a row was marked or rejected; `failed` where nothing was loaded.
 */
export function endOf(files: readonly FileAccount[], streams: readonly Stream[], strict: boolean): ExitName {
  const isLoaded = streams.some(({ status }) => status === 'succeeded');
  const isLeft =
    files.some(({ status }) => status === 'left_out') || streams.some(({ status }) => status !== 'succeeded');
  if (!isLoaded) return 'failed';
  const isMarked = streams.some(({ rows_with_errors, rows_rejected }) => rows_with_errors > 0 || rows_rejected > 0);
  return isLeft || (strict && isMarked) ? 'mixed' : 'ok';
}
