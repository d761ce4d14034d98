import type { Step } from '../machine.ts';
import { afterCommit, broken, changesAnything, covered, hasNoState, hasUncovered } from './stream-state.ts';
import type { StreamFailure, StreamState, SyncEffect, SyncEvent, SyncState, SyncTypes, Task } from './sync-types.ts';

/** How often a batch is merged in all, when other writers move the table in between. */
export const MAX_MERGES = 8;

type Next<T extends SyncTypes> = Step<SyncState<T>, SyncEffect<T>>;
type CommitTask<T extends SyncTypes> = Extract<Task<T>, { kind: 'commit' }>;

/** Begins the commit of what a stream has in its batch, if that changes anything. */
export function beginCommit<T extends SyncTypes>(
  state: SyncState<T>,
  stream: StreamState<T>,
  { isWhole }: { isWhole: boolean },
): Next<T> {
  if (!changesAnything(stream)) return { state, effects: [] };
  const task: CommitTask<T> = { kind: 'commit', stream: stream.plan.id, isWhole, place: undefined, merges: 0 };
  return needsMerge(stream) ? intendMerge(state, task) : { state: { ...state, task }, effects: [commit(stream, task)] };
}

/** Goes on with the commit that is under way. */
export function commitAnswer<T extends SyncTypes>(
  state: SyncState<T>,
  event: SyncEvent<T>,
  task: CommitTask<T>,
): Next<T> {
  const stream = state.streams[task.stream];
  if (stream === undefined) return { state, effects: [] };
  const { batch, plan } = stream;
  switch (event.type) {
    case 'intended': {
      if (task.place === undefined) return { state, effects: [] };
      const { replaces } = plan;
      return { state, effects: [{ type: 'merge', stream: plan.id, batch, place: task.place, replaces }] };
    }
    case 'merged':
      return { state, effects: [commit(stream, task, event.merged)] };
    case 'committed':
      return {
        state: {
          ...state,
          task: undefined,
          streams: { ...state.streams, [plan.id]: afterCommit(stream) },
        },
        effects: [],
      };
    default:
      return { state, effects: [] };
  }
}

/** Another writer has moved the table: what was merged stands on rows that are no longer there. */
export function mergeAgain<T extends SyncTypes>(state: SyncState<T>, task: CommitTask<T>): Next<T> {
  const stream = state.streams[task.stream];
  if (task.merges < MAX_MERGES || stream === undefined) return intendMerge(state, task);
  const failed = broken(stream, { rule: 'table_contended', tries: task.merges });
  return {
    state: { ...state, task: undefined, streams: { ...state.streams, [task.stream]: failed } },
    effects: [],
  };
}

/**
 * Closes a stream that has been read to its end. One that ended well is committed whole; one that failed, as far as a
 * state covers it, unless it is committed at its end or not at all.
 */
export function closeNext<T extends SyncTypes>(
  state: SyncState<T>,
  stream: StreamState<T>,
  reported: T['failure'] | undefined,
): Next<T> {
  const end = endOf(stream, reported);
  const closed: StreamState<T> = { ...end, isClosed: true };
  const next = { ...state, streams: { ...state.streams, [stream.plan.id]: closed } };
  if (closed.failure === undefined) return beginCommit(next, closed, { isWhole: true });
  const isCovered = !closed.plan.atEnd && stream.failure === undefined && closed.batch.state !== undefined;
  return isCovered ? beginCommit(next, closed, { isWhole: false }) : { state: next, effects: [] };
}

/** The stream with its failure, if it has any, and with everything in its batch that its end covers. */
function endOf<T extends SyncTypes>(stream: StreamState<T>, reported: T['failure'] | undefined): StreamState<T> {
  if (stream.failure !== undefined) return stream;
  const failed = (failure: StreamFailure<T>): StreamState<T> => ({ ...stream, failure });
  if (reported !== undefined) return failed({ reported });
  if (hasNoState(stream)) return covered(stream, undefined);
  return hasUncovered(stream) ? failed({ rule: 'rows_uncovered' }) : stream;
}

function needsMerge<T extends SyncTypes>({ plan, batch }: StreamState<T>): boolean {
  return plan.merges && (batch.parts.length > 0 || plan.marksMissing);
}

function intendMerge<T extends SyncTypes>(state: SyncState<T>, task: CommitTask<T>): Next<T> {
  const place = state.places + 1;
  return {
    state: { ...state, places: place, task: { ...task, place, merges: task.merges + 1 } },
    effects: [{ type: 'intend', stream: task.stream, of: 'rows', place }],
  };
}

function commit<T extends SyncTypes>(
  { plan, number, batch }: StreamState<T>,
  { isWhole }: CommitTask<T>,
  merged?: T['merged'],
): SyncEffect<T> {
  const { id: stream, replaces } = plan;
  return { type: 'commit', stream, number: number + 1, batch, merged, replaces, isWhole };
}
