import type { Output } from '@weir/kernel/contract';
import type { listDatasets } from '@weir/plugin-datasets/contract';
import type { RunView } from '@weir/plugin-runs/contract';
import type { SourceView } from '@weir/plugin-sources/contract';

/** One thing that wants to be looked at, or is good news. */
export interface Notice {
  kind: 'late' | 'failed_again' | 'failed' | 'recovered' | 'waiting' | 'blocked';
  subjectId: string;
  subjectKind: string;
  name: string;
  at: string;
  code?: string;
  /** Why it failed or waits, in words. */
  why?: string;
  runId?: string;
}

/** A start that is due is late after this. */
const LATE_MS = 2 * 60_000;
const ORDER: readonly Notice['kind'][] = ['failed_again', 'failed', 'late', 'waiting', 'blocked', 'recovered'];

/** A table as the list shows it. */
export type Listed = Output<typeof listDatasets>['items'][number];

/** What the newest runs, the schedules and the tables say, the gravest first. `runs` are newest first. */
export function attention(
  runs: readonly RunView[],
  { sources, tables }: { sources: readonly SourceView[]; tables: readonly Listed[] },
  now: Date,
): Notice[] {
  const found = [...bySubject(runs).values()].flatMap((own) => ofRuns(own, now));
  const late = sources.flatMap((source) => lateStart(source, now));
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
  if (newest?.status === 'failed')
    notices.push(notice(before?.status === 'failed' ? 'failed_again' : 'failed', newest));
  else if (newest !== undefined && before?.status === 'failed') notices.push(notice('recovered', newest));
  return notices;
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
    ...(failure === null ? {} : { code: failure.code, why: failure.detail }),
  };
}

function lateStart({ source_id, name, schedule }: SourceView, now: Date): Notice[] {
  if (schedule === null || schedule.paused || schedule.next_run_at === null) return [];
  if (now.getTime() - Date.parse(schedule.next_run_at) < LATE_MS) return [];
  return [{ kind: 'late', subjectId: source_id, subjectKind: 'source', name, at: schedule.next_run_at }];
}

function blockedTable({ dataset_id: id, blocked }: Listed): Notice[] {
  if (blocked === null) return [];
  return [{ kind: 'blocked', subjectId: id, subjectKind: 'dataset', name: id, at: blocked.since, why: blocked.detail }];
}
