import type { RunFailureRecord } from '@weir/kernel';

/** A failure on its way to the record of a run. */
export interface Failure extends RunFailureRecord {
  /** The program that did the work reports a fault of its own. */
  isOwnFault?: true;
  /** Digest of a fault that time alone does not cure: the same one again means that the next attempt ends so too. */
  faultId?: string;
  /** The run has no attempt left, though another run may do better. */
  isLast?: true;
}

/** A failure as it is kept: without what decides on retries. */
export type KeptFailure = RunFailureRecord & { [Name in Exclude<keyof Failure, keyof RunFailureRecord>]?: never };

/** How a run ends; ids and our own words only, as it travels through the workflow engine. */
export interface Outcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  failure?: KeptFailure;
}

/** How a part of a run ends: `skipped` where it found nothing to do, or was not reached. */
export type Ending = Omit<Outcome, 'status'> & { status: Outcome['status'] | 'skipped' };

/** An error that already says how the run fails. */
export class RunFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, options: { cause?: unknown } = {}) {
    super(failure.code, options);
    this.name = 'RunFailed';
    this.failure = failure;
  }
}

/** What is kept of a failure: the one way from the other to that. */
export function recordOf({ code, origin, retryable, detail, hint, next }: Failure): KeptFailure {
  const help = { ...(hint === undefined ? {} : { hint }), ...(next === undefined ? {} : { next }) };
  return { code, origin, retryable, detail, ...help };
}
