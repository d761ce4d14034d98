import type { CommitEvent } from '@weir/engine';
import { kernelProblems, Problem } from '@weir/kernel/contract';
import { LakehouseError } from '@weir/lakehouse';

/** Another commit moved a pointer first; the transaction was rolled back. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}

/** What an error of a step of a commit says about that step. */
export function outcomeOf(error: unknown): Extract<CommitEvent, { type: 'lost' | 'unknown' | 'refused' }> {
  if (error instanceof LostRace || isProblem(error, kernelProblems.conflict)) return { type: 'lost' };
  const away = error instanceof LakehouseError && error.code === 'store_unavailable';
  if (away || isProblem(error, kernelProblems.dependencyUnavailable)) return { type: 'unknown', reason: error };
  return { type: 'refused', reason: error };
}

function isProblem(error: unknown, { entry }: { entry: { code: string } }): boolean {
  return error instanceof Problem && error.code === entry.code;
}

/** For a table to be made that is there meanwhile. */
export function asLostRace(error: unknown): never {
  throw error instanceof LakehouseError && error.code === 'table_exists' ? new LostRace() : error;
}
