import type { RunFailureRecord } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { type Failure, RunFailed } from './failure.ts';

const TRANSIENT_STATUSES: readonly number[] = [409, 429, 500, 502, 503, 504, 507];

/** A failure but for its code. */
export type FailureWords = Readonly<Omit<RunFailureRecord, 'code'>>;

/** What any run can fail with. */
export const WORK_FAILURES = {
  worker_lost: {
    origin: 'platform',
    retryable: true,
    detail: 'The worker that carried out the run was lost, or the run took too long.',
    hint: 'Start it again.',
  },
  worker_stopping: {
    origin: 'platform',
    retryable: true,
    detail: 'The worker is stopping and hands the run back.',
    hint: 'Another worker takes it over.',
  },
  work_disk_full: {
    origin: 'platform',
    retryable: true,
    detail: 'The disk of the work folder is full.',
    hint: 'Free space there and start the run again.',
  },
  no_lane: {
    origin: 'platform',
    retryable: true,
    detail: 'Other runs of the tenant kept every lane for more than a day.',
    hint: 'Start it again, or raise WEIR_SYNC_LANES_PER_TENANT for syncs, WEIR_TRANSFORM_LANES_PER_TENANT for transforms.',
  },
  run_failed: {
    origin: 'platform',
    retryable: true,
    detail: 'The run failed for a reason that the platform does not know.',
    hint: 'The logs of the worker name the cause under the run id.',
  },
} as const satisfies Record<string, FailureWords & { hint: string }>;

export type WorkFailureCode = keyof typeof WORK_FAILURES;

/** A plugin's one translation of errors into the failures of its runs. */
export interface Failures {
  /** Any error as the failure of a run. Unknown ones are retryable and reveal nothing of their text. */
  of(error: unknown): Failure;
  known(code: WorkFailureCode): RunFailureRecord;
}

/**
 * The translation of a plugin: `read` knows the errors of its own, `words` are its own for what any run can fail with.
 */
export function failures(
  read: (error: unknown) => Failure | undefined = () => undefined,
  words: Readonly<Record<WorkFailureCode, FailureWords>> = WORK_FAILURES,
): Failures {
  const known = (code: WorkFailureCode) => ({ code, ...words[code] });
  return {
    known,
    of(error) {
      if (error instanceof RunFailed) return error.failure;
      const own = read(error);
      if (own !== undefined) return own;
      if (error instanceof Problem) return problemFailure(error, 'platform');
      return known(isDiskFull(error) ? 'work_disk_full' : 'run_failed');
    },
  };
}

/** A problem as the failure of a run; `lease_lost` is never retried. */
export function problemFailure(problem: Problem, origin: RunFailureRecord['origin']): RunFailureRecord {
  const { code, hint, next } = problem.entry;
  const retryable = code !== 'lease_lost' && TRANSIENT_STATUSES.includes(problem.status);
  return { code, origin, retryable, detail: problem.message, hint, ...(next === undefined ? {} : { next }) };
}

/** Whether a file could not be written for lack of room, or of what the account may use. */
export function isDiskFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isDiskFull(cause));
}
