import { setTimeout as delay } from 'node:timers/promises';
import { kernelProblems, Problem } from '@weir/kernel/contract';
import { datasetProblems } from '../contract.ts';

/** How often a commit is tried in all, over lost races and unknown outcomes together. */
export const MAX_COMMIT_ATTEMPTS = 16;
const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 1_000;

/** Another commit moved a pointer first; the transaction was rolled back. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}

/** Whether a failed transaction may nevertheless have been committed: the connection broke somewhere in it. */
export function isUnknownOutcome(error: unknown): boolean {
  return error instanceof Problem && error.code === kernelProblems.dependencyUnavailable.entry.code;
}

function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || (error instanceof Problem && error.code === kernelProblems.conflict.entry.code);
}

/**
 * Repeats `attempt` after a lost race or an unknown outcome, with growing jittered pauses; every attempt must begin by
 * finding out what holds now. Ends in `commit_conflict`, or in the last unknown outcome's problem.
 */
export async function retryCommit<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      const lost = isLostRace(error);
      if (!lost && !isUnknownOutcome(error)) throw error;
      if (tried === MAX_COMMIT_ATTEMPTS) {
        throw lost ? datasetProblems.commitConflict({ values: { attempts: tried }, cause: error }) : error;
      }
      await delay(Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tried));
    }
  }
}
