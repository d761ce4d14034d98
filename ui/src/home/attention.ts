import type { Output } from '@weir/kernel/contract';
import type { listDatasets } from '@weir/plugin-datasets/contract';
import type { RunView } from '@weir/plugin-runs/contract';
import type { SourceView } from '@weir/plugin-sources/contract';
import { counted } from '../parts/numbers.ts';

/** One thing that wants to be looked at, or is good news. */
export interface Notice {
  kind: 'late' | 'failed_again' | 'check' | 'failed' | 'recovered' | 'waiting' | 'rejected' | 'blocked';
  subjectId: string;
  subjectKind: string;
  name: string;
  at: string;
  /** Why it failed or waits, in words. */
  why?: string;
  runId?: string;
}

/** A start that is due is late after this. */
const LATE_MS = 2 * 60_000;
const ORDER: readonly Notice['kind'][] = [
  ...(['failed_again', 'check', 'failed', 'late', 'waiting', 'rejected', 'blocked', 'recovered'] as const),
];
const CHECK_CODE = 'check_failed';

/** A table as the list shows it. */
export type Listed = Output<typeof listDatasets>['items'][number];

/** What the newest runs, the schedules and the tables say, the gravest first. `runs` are newest first. */
export function attention(
  runs: readonly RunView[],
  { sources, tables }: { sources: readonly SourceView[]; tables: readonly Listed[] },
  now: Date,
): Notice[] {
  const found = [...bySubject(runs).values()].flatMap((own) => ofRuns(own, now));
  const late = sources.flatMap((source) => [...lateStart(source, now), ...rejectedLines(source)]);
  return [...found, ...late, ...tables.flatMap(blockedTable)].sort(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.at.localeCompare(a.at),
  );
}

function bySubject(runs: readonly RunView[]): Map<string, RunView[]> {
  const groups = new Map<string, RunView[]>();
  for (const run of runs) {
    // A connection that was only tested has no source and no name.
    if (run.subject.name === null) continue;
    const key = `${run.kind} ${run.subject.id}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return groups;
}

/** What the runs of one subject say: skipped and cancelled ones break no streak. */
function ofRuns(runs: readonly RunView[], now: Date): Notice[] {
  const [newest, before] = runs.filter(({ status }) => status === 'succeeded' || status === 'failed');
  const notices: Notice[] = [];
  const waiting = runs.find((run) => run.status === 'pending' && now.getTime() - Date.parse(run.created_at) > LATE_MS);
  if (waiting !== undefined) notices.push(notice('waiting', waiting));
  if (newest?.status === 'failed') notices.push(notice(failedKind(newest, before), newest));
  else if (newest !== undefined && before?.status === 'failed') notices.push(notice('recovered', newest));
  return notices;
}

/** A check that keeps a result back is news of its own, however often it did. */
function failedKind({ failure }: RunView, before: RunView | undefined): Notice['kind'] {
  if (failure?.code === CHECK_CODE) return 'check';
  return before?.status === 'failed' ? 'failed_again' : 'failed';
}

function notice(kind: Notice['kind'], run: RunView): Notice {
  const { subject, ended_at, created_at, failure, run_id } = run;
  return {
    kind,
    subjectId: subject.id,
    subjectKind: subject.kind,
    name: subject.name ?? subject.id,
    at: ended_at ?? created_at,
    runId: run_id,
    ...(failure === null ? {} : { why: failure.detail }),
  };
}

function lateStart({ source_id, name, schedule }: SourceView, now: Date): Notice[] {
  if (schedule === null || schedule.paused || schedule.next_run_at === null) return [];
  if (now.getTime() - Date.parse(schedule.next_run_at) < LATE_MS) return [];
  return [{ kind: 'late', subjectId: source_id, subjectKind: 'source', name, at: schedule.next_run_at }];
}

/** Lines that the newest sync could not take: they wait to be replayed. */
function rejectedLines({ source_id, name, last_run: run }: SourceView): Notice[] {
  if (run === null || run.rows_rejected === 0) return [];
  const why = `${counted(run.rows_rejected, 'line')} of its last sync did not fit and can be tried again.`;
  const at = run.ended_at ?? run.created_at;
  return [{ kind: 'rejected', subjectId: source_id, subjectKind: 'source', name, at, why, runId: run.run_id }];
}

function blockedTable({ dataset_id: id, blocked }: Listed): Notice[] {
  if (blocked === null) return [];
  return [{ kind: 'blocked', subjectId: id, subjectKind: 'dataset', name: id, at: blocked.since, why: blocked.detail }];
}

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
