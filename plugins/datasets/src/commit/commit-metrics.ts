import type { Metrics } from '@weir/kernel';
import { kernelProblems, Problem, runProblems } from '@weir/kernel/contract';
import { type CommitRequest, type CommitResult, datasetProblems } from '../contract.ts';

/**
 * How a commit ended: it stands, had nothing to write, lost every race, came from an attempt that is no longer the
 * newest, was refused for what it asked, or nobody knows, as the database went away; anything else has failed.
 */
const OUTCOMES = ['committed', 'nothing', 'conflict', 'lease_lost', 'refused', 'unknown', 'failed'] as const;
type CommitOutcome = (typeof OUTCOMES)[number];

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const CLIENT_FAULTS = { from: 400, to: 499 };

/** Counts and times commits, and the rows that they bring. */
export function measureCommits(metrics: Pick<Metrics, 'counter' | 'histogram'>) {
  const labels = { outcome: OUTCOMES };
  const ended = metrics.counter({ name: 'weir_commits_total', help: 'Commits of rows to tables, by outcome', labels });
  const lasted = metrics.histogram({
    name: 'weir_commit_duration_seconds',
    help: 'Time from the start of a commit to its outcome',
    labels,
    buckets: SECONDS,
  });
  const rows = metrics.counter({ name: 'weir_committed_rows_total', help: 'Rows brought by commits', labels: {} });
  return async (request: CommitRequest, work: () => Promise<CommitResult>): Promise<CommitResult> => {
    const started = performance.now();
    const end = (outcome: CommitOutcome): void => {
      ended({ outcome });
      lasted({ outcome }, (performance.now() - started) / 1_000);
    };
    try {
      const result = await work();
      const wrote = result.tables.some(({ snapshotId }) => snapshotId !== null);
      end(wrote ? 'committed' : 'nothing');
      if (wrote) rows({}, rowsOf(request));
      return result;
    } catch (error) {
      end(outcomeOf(error));
      throw error;
    }
  };
}

function outcomeOf(error: unknown): CommitOutcome {
  if (!(error instanceof Problem)) return 'failed';
  if (error.code === runProblems.leaseLost.entry.code) return 'lease_lost';
  if (error.code === datasetProblems.commitConflict.entry.code) return 'conflict';
  if (error.code === kernelProblems.dependencyUnavailable.entry.code) return 'unknown';
  return error.status >= CLIENT_FAULTS.from && error.status <= CLIENT_FAULTS.to ? 'refused' : 'failed';
}

/** Rows of the files of a commit that was accepted, so each says how many it has. */
function rowsOf({ tables }: CommitRequest): number {
  return tables
    .flatMap(({ files }) => files)
    .reduce((sum, file) => sum + Number((file as { record_count?: string }).record_count ?? 0), 0);
}
