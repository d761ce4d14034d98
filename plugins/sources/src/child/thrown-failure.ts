import type { RunFailureRecord } from '@weir/kernel';

/**
 * Any error as the failure of a run, for a process of an attempt. It loads the tables of all problems, which cost such a process
 * a quarter of its start, and only when something has failed.
 */
export async function thrownFailure(error: unknown): Promise<RunFailureRecord> {
  const { failureOf } = await import('../model/failure/failure-of.ts');
  return failureOf(error);
}
