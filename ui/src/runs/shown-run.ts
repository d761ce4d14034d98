import type { ListedRunView } from '@weir/plugin-runs/contract';

/** A run of a list as one line: a whole that has one part shows as that part, whose page has the log and the facts. */
export function shownRun(run: ListedRunView): ListedRunView {
  const [part] = run.parts;
  if (part === undefined || run.parts_total !== 1) return run;
  return { ...run, ...part, created_at: run.created_at };
}
