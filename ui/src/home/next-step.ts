import type { SourceView } from '@weir/plugin-sources/contract';

/** The one thing that would help this tenant most now, or nothing. */
export type NextStep =
  | { kind: 'choose_streams' | 'sync' | 'schedule'; sourceId: string; name: string }
  | { kind: 'transform' };

/** What a person does next, from what is there: rows first, then tables made of them, then all of it by itself. */
export function nextStep(sources: readonly SourceView[], transforms: number | undefined): NextStep | undefined {
  const of = (kind: 'choose_streams' | 'sync' | 'schedule', source: SourceView | undefined): NextStep | undefined =>
    source && { kind, sourceId: source.source_id, name: source.name };
  const active = sources.filter(({ status }) => status !== 'retired');
  return (
    of(
      'choose_streams',
      active.find(({ streams_enabled: enabled }) => enabled === 0),
    ) ??
    of(
      'sync',
      active.find(({ last_run: run }) => run === null),
    ) ??
    (transforms === 0 ? { kind: 'transform' } : undefined) ??
    of('schedule', active.filter((source) => !isUpload(source)).find(isBare))
  );
}

/** Files that were sent once have nothing new to read. */
const isUpload = ({ source_config: { path } }: SourceView): boolean =>
  typeof path === 'string' && path.startsWith('/uploads/');
const isBare = ({ schedule, last_run: run }: SourceView): boolean => schedule === null && run?.status === 'succeeded';
