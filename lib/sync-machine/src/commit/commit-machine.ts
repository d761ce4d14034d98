import { ALL_FENCES, type Fences } from '../fences.ts';
import type { Machine, Step } from '../machine.ts';
import { draw } from '../random.ts';
import type {
  CommitEffect,
  CommitEvent,
  CommitInput,
  CommitResult,
  CommitState,
  Draft,
  FoundTable,
} from './commit-types.ts';

/**
 * How often a commit is tried in all, over lost races and unknown outcomes together. Who loses a race lost it to one that
 * won, so that many writers of one table all come through; at most a quarter of a minute goes by with pauses.
 */
export const MAX_COMMIT_TRIES = 100;
const FIRST_WAIT_MS = 10;
const MAX_WAIT_MS = 250;

type Next = Step<CommitState, CommitEffect>;

/**
 * A commit to one or several tables.
 *
 * Each try begins by looking for the commit id in the tables, because a lost answer leaves the outcome open and only the
 * tables know it. What is to be written is in the ledger before it is written. The pointers then move from where they
 * were read, or not at all. After a race that was certainly lost what was written is removed; after an unknown outcome
 * nothing is, and the ledger keeps it for the sweep.
 */
export function commitMachine(
  input: CommitInput,
  fences: Fences = ALL_FENCES,
): Machine<CommitState, CommitEvent, CommitEffect> {
  const { step } = commitSteps(input, fences);
  const initial: CommitState = {
    phase: 'idle',
    tries: 0,
    seed: input.seed,
    settled: [],
    drafts: [],
    moved: 0,
    afterwards: undefined,
    result: undefined,
  };
  return { initial, step, hasEnded: ({ phase }) => phase === 'ended' };
}

function commitSteps(input: CommitInput, fences: Fences) {
  const step = (state: CommitState, event: CommitEvent): Next => {
    switch (event.type) {
      case 'start':
      case 'waited':
        return { state: { ...state, phase: 'loading', tries: state.tries + 1 }, effects: [{ type: 'load' }] };
      case 'loaded':
        return afterLoad(state, event.tables);
      case 'prepared':
        return afterPrepare({ ...state, drafts: event.drafts, moved: 0 });
      case 'intended':
        return { state: { ...state, phase: 'writing' }, effects: [{ type: 'write', drafts: state.drafts }] };
      case 'written':
        return move({ ...state, phase: 'moving' });
      case 'moved':
        return afterMove(state);
      case 'promoted':
        return end(state, committed(state));
      case 'removed':
        return state.afterwards === undefined ? tryAgain(state, { conflict: true }) : end(state, state.afterwards);
      case 'lost':
        return state.phase === 'moving' ? remove(state, undefined) : tryAgain(state, { conflict: true });
      case 'unknown':
        return tryAgain(state, { reason: event.reason });
      case 'refused':
        return afterRefusal(state, { outcome: 'refused', reason: event.reason });
    }
  };

  /** Decides by what the tables hold: it stands already, it may not be made, or it is made anew where it is missing. */
  const afterLoad = (state: CommitState, found: readonly FoundTable[]): Next => {
    const settled = found.map((table) => (fences.commitId ? (table.settled?.snapshotId ?? null) : null));
    const open = input.tables.flatMap(({ isIdle }, at) => (isIdle || settled[at] !== null ? [] : [at]));
    const known: CommitState = { ...state, settled, drafts: [], moved: 0 };
    const refusal = refusalOf(input, found, { open, fences });
    if (refusal !== undefined) return end(known, refusal);
    if (open.length === 0 && settled.some((snapshotId) => snapshotId !== null)) return stands(known);
    return { state: { ...known, phase: 'preparing' }, effects: [{ type: 'prepare', tables: open }] };
  };

  const afterPrepare = (state: CommitState): Next => {
    const { drafts } = state;
    if (drafts.every(({ files }) => files.length === 0) && !input.storesCheckpointsApart) {
      return move({ ...state, phase: 'moving' });
    }
    if (fences.intents) {
      const effect: CommitEffect = { type: 'intend', drafts, assertLease: fences.lease };
      return { state: { ...state, phase: 'intending' }, effects: [effect] };
    }
    return { state: { ...state, phase: 'writing' }, effects: [{ type: 'write', drafts }] };
  };

  /** Moves what has not moved yet: all of it at once, or the next one. */
  const move = (state: CommitState): Next => {
    const left = state.drafts.slice(state.moved);
    if (left.length === 0 && input.storesCheckpointsApart) return stands(state);
    const drafts = input.isAtomic ? left : left.slice(0, 1);
    const effect: CommitEffect = {
      type: 'move',
      drafts,
      assertLease: fences.lease,
      assertReference: fences.reference,
    };
    return { state, effects: [effect] };
  };

  const afterMove = (state: CommitState): Next => {
    const moved = input.isAtomic ? state.drafts.length : state.moved + 1;
    const next = { ...state, moved };
    return moved < state.drafts.length ? move(next) : stands(next);
  };

  /** The tables hold it all; so does the database, unless it is told apart. */
  const stands = (state: CommitState): Next => {
    if (!input.storesCheckpointsApart) return end(state, committed(state));
    const effect: CommitEffect = { type: 'promote', assertLease: fences.lease };
    return { state: { ...state, phase: 'promoting' }, effects: [effect] };
  };

  const committed = ({ settled, drafts }: CommitState): CommitResult => {
    const made = new Map(drafts.map(({ table, snapshotId }) => [table, snapshotId]));
    const snapshots = input.tables.map((_, at) => settled[at] ?? made.get(at) ?? null);
    return { outcome: 'committed', snapshots };
  };
  return { step };
}

/** Why a commit that is not in the tables may not be made. */
function refusalOf(
  { tables }: CommitInput,
  found: readonly FoundTable[],
  { open, fences }: { open: readonly number[]; fences: Fences },
): CommitResult | undefined {
  if (fences.commitId && found.some(({ settled }) => settled?.sameFiles === false)) return { outcome: 'reused' };
  if (!fences.reference) return undefined;
  for (const at of open) {
    const [wanted, has] = [tables[at], found[at]];
    if (wanted === undefined || has === undefined) continue;
    if (wanted.follows !== undefined && wanted.follows !== has.newest) return { outcome: 'superseded' };
    if (wanted.base !== undefined && wanted.base !== has.snapshotId) return { outcome: 'base_moved' };
  }
  return undefined;
}

/** Ends in a refusal. What may be written is removed first: no pointer names it, as none has been told to. */
function afterRefusal(state: CommitState, result: CommitResult): Next {
  const wrote = state.phase === 'writing' || state.phase === 'moving';
  return wrote ? remove(state, result) : end(state, result);
}

function remove(state: CommitState, afterwards: CommitResult | undefined): Next {
  const drafts: readonly Draft[] = state.drafts.slice(state.moved);
  return { state: { ...state, phase: 'removing', afterwards }, effects: [{ type: 'remove', drafts }] };
}

/** Tries again after a pause that grows and differs between writers, or gives up. */
function tryAgain(state: CommitState, why: { conflict: true } | { reason: unknown }): Next {
  if (state.tries >= MAX_COMMIT_TRIES) {
    const result: CommitResult =
      'reason' in why ? { outcome: 'unknown', reason: why.reason } : { outcome: 'conflict', tries: state.tries };
    return end(state, result);
  }
  const { value, seed } = draw(state.seed);
  const ms = Math.round(value * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** state.tries));
  return { state: { ...state, phase: 'waiting', seed, afterwards: undefined }, effects: [{ type: 'wait', ms }] };
}

function end(state: CommitState, result: CommitResult): Next {
  return { state: { ...state, phase: 'ended', result }, effects: [] };
}
