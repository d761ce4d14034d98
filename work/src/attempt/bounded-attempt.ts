import { type Failure, RunFailed } from '../failure/failure.ts';
import type { Failures } from '../failure/failures.ts';
import { givenUp, isGivenUp, MAX_IDLE_ATTEMPTS, MIN_ATTEMPTS } from './give-up.ts';
import type { UncountedAttempts } from './uncounted-attempts.ts';

/** An attempt of a run that is given up when attempts in a row made no progress. */
export interface BoundedAttempt {
  failures: Failures;
  leaseEpoch: number;
  signal: AbortSignal;
  uncounted: Omit<UncountedAttempts, 'progress'>;
  /** The last attempt of the run that made progress, as stored with what it committed; 0 when none has. */
  lastProgress(): Promise<number>;
}

/**
 * Does the work of an attempt, unless those before it were as many as a run may have without progress, the last of which
 * could not report: its worker died. A failure of the attempt itself is the run's last when no other may follow. An attempt
 * that is stopped, as when its worker is replaced, does not count; nor does one whose progress the database cannot tell now.
 */
export async function boundedAttempt<R>(bounded: BoundedAttempt, work: () => Promise<R>): Promise<R> {
  const { failures, leaseEpoch, signal, uncounted } = bounded;
  let isRepeated = false;
  const startedAt = performance.now();
  const judged = async (attempts: number, failure: Failure, cause?: unknown): Promise<RunFailed | undefined> => {
    const gotOnAt = await bounded.lastProgress().catch((unknown: unknown) => {
      uncounted.add(leaseEpoch);
      throw unknown;
    });
    uncounted.forgetUntil(gotOnAt);
    const tries = { attempts, gotOnAt, uncounted: uncounted.numbers(), isRepeated, idleMs: uncounted.idleMs() };
    return isGivenUp(tries, failure) ? new RunFailed(givenUp(failure, tries), { cause }) : undefined;
  };
  const before = leaseEpoch - 1;
  const lost = before < MAX_IDLE_ATTEMPTS ? undefined : await judged(before, failures.known('worker_lost'));
  if (lost !== undefined) throw lost;
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) {
      uncounted.add(leaseEpoch);
      throw error;
    }
    const failure = failures.of(error);
    const { faultId } = failure;
    isRepeated = uncounted.failed({ number: leaseEpoch, ms: performance.now() - startedAt, faultId });
    if (!failure.retryable || leaseEpoch < MIN_ATTEMPTS) throw error;
    throw (await judged(leaseEpoch, failure, error).catch(() => undefined)) ?? error;
  }
}
