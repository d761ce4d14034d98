import type { CommitResult } from '@weir/engine';
import { kernelProblems } from '@weir/kernel/contract';
import { datasetProblems } from '../contract.ts';

/** From below which the seed of a commit's pauses is drawn. */
export const SEEDS = 2 ** 31;

/** The snapshots that a commit made, by table; any other end is thrown as its problem. */
export function endOf(result: CommitResult | undefined): readonly (string | null)[] {
  switch (result?.outcome) {
    case 'committed':
      return result.snapshots;
    case 'conflict':
      throw datasetProblems.commitConflict({ values: { attempts: result.tries } });
    case 'base_moved':
      throw datasetProblems.baseMoved();
    case 'superseded':
      throw datasetProblems.commitSuperseded();
    case 'reused':
      throw datasetProblems.commitIdReused();
    case 'unknown':
    case 'refused':
      throw result.reason;
    default:
      throw kernelProblems.internal();
  }
}
