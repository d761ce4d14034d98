import { ALL_FENCES, type Fences } from '../fences.ts';

/** A commit that was kept before its pointers moved, and whose checkpoints are not stored yet. */
export interface OpenCommit<Commit> {
  readonly commit: Commit;
  /** A table has its snapshot. */
  readonly hasLanded: boolean;
  /** This attempt has moved the pointers of its tables since it took the lease. */
  readonly isFenced: boolean;
}

/** The next step of an attempt that finds open commits of its streams. */
export type Recovery<Commit> =
  /** Run this commit to its end. */
  | { readonly type: 'finish'; readonly commit: Commit }
  /** Add an empty snapshot to the tables of these commits, so that a late move of theirs loses the race. */
  | { readonly type: 'fence'; readonly commits: readonly Commit[] }
  /** Forget these commits: they can never land. */
  | { readonly type: 'drop'; readonly commits: readonly Commit[] };

/**
 * What an attempt must do about open commits before it plans; undefined when nothing is left. Look at the tables again
 * after each step: a late move may land before a fence.
 */
export function recoveryOf<Commit>(
  open: readonly OpenCommit<Commit>[],
  fences: Fences = ALL_FENCES,
): Recovery<Commit> | undefined {
  const landed = open.find(({ hasLanded }) => hasLanded);
  if (landed !== undefined) return { type: 'finish', commit: landed.commit };
  if (open.length === 0 || !fences.openCommits) return undefined;
  const reachable = open.filter(({ isFenced }) => !isFenced);
  if (reachable.length > 0) return { type: 'fence', commits: reachable.map(({ commit }) => commit) };
  return { type: 'drop', commits: open.map(({ commit }) => commit) };
}
