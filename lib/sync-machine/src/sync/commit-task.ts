import type { Step } from '../machine.ts';
import { afterCommit, bringsTable, broken, changesAnything } from './stream-state.ts';
import type { CommitBatch, StreamState, SyncEffect, SyncEvent, SyncState, SyncTypes, Task } from './sync-types.ts';

/** How often batches are merged in all, when other writers move a table in between. */
export const MAX_MERGES = 8;

type Next<T extends SyncTypes> = Step<SyncState<T>, SyncEffect<T>>;
type CommitTask<T extends SyncTypes> = Extract<Task<T>, { kind: 'commit' }>;

/**
 * Begins the commit of what these streams have in their batches, in one step, if that changes anything. Then each of them
 * takes part, were it only with its state: what they share never stands at two places.
 */
export function beginCommit<T extends SyncTypes>(
  state: SyncState<T>,
  streams: readonly StreamState<T>[],
  { isWhole }: { isWhole: boolean },
): Next<T> {
  const changes = (stream: StreamState<T>) => changesAnything(stream) || (isWhole && stream.changesTable);
  if (!streams.some(changes)) return { state, effects: [] };
  const ids = streams.map(({ plan }) => plan.id);
  const task: CommitTask<T> = { kind: 'commit', streams: ids, isWhole, merged: {}, merging: undefined, merges: 1 };
  return goOn(state, task);
}

/** Goes on with the commit that is under way. */
export function commitAnswer<T extends SyncTypes>(
  state: SyncState<T>,
  event: SyncEvent<T>,
  task: CommitTask<T>,
): Next<T> {
  const { merging } = task;
  switch (event.type) {
    case 'intended': {
      const stream = merging && state.streams[merging.stream];
      if (stream === undefined) return { state, effects: [] };
      const { batch, plan } = stream;
      const { id, replaces } = plan;
      return { state, effects: [{ type: 'merge', stream: id, batch, place: merging?.place ?? 0, replaces }] };
    }
    case 'merged': {
      if (merging === undefined) return { state, effects: [] };
      return goOn(state, {
        ...task,
        merged: { ...task.merged, [merging.stream]: event.merged },
        merging: undefined,
      });
    }
    case 'committed':
      return {
        state: { ...withStreams(state, task, (one) => afterCommit(one, task.isWhole)), task: undefined },
        effects: [],
      };
    default:
      return { state, effects: [] };
  }
}

/** Another writer has moved a table: what was merged stands on rows that are no longer there. */
export function mergeAgain<T extends SyncTypes>(state: SyncState<T>, task: CommitTask<T>): Next<T> {
  if (task.merges < MAX_MERGES) return goOn(state, { ...task, merged: {}, merges: task.merges + 1 });
  const contended = (stream: StreamState<T>) => broken(stream, { rule: 'table_contended', tries: task.merges });
  return { state: { ...withStreams(state, task, contended), task: undefined }, effects: [] };
}

/** Merges the next batch that has to be; commits them all when none is left. */
function goOn<T extends SyncTypes>(state: SyncState<T>, task: CommitTask<T>): Next<T> {
  const streams = task.streams.flatMap((id) => state.streams[id] ?? []);
  const next = streams.find((stream) => needsMerge(stream) && !(stream.plan.id in task.merged));
  if (next === undefined) {
    const batches = streams.map((stream) => batchOf(stream, task));
    return { state: { ...state, task }, effects: [{ type: 'commit', batches }] };
  }
  const { id } = next.plan;
  const place = state.places + 1;
  return {
    state: { ...state, places: place, task: { ...task, merging: { stream: id, place } } },
    effects: [{ type: 'intend', stream: id, of: 'rows', place }],
  };
}

function withStreams<T extends SyncTypes>(
  state: SyncState<T>,
  task: CommitTask<T>,
  change: (stream: StreamState<T>) => StreamState<T>,
): SyncState<T> {
  const changed = task.streams.flatMap((id) => state.streams[id] ?? []).map((one) => [one.plan.id, change(one)]);
  return { ...state, streams: { ...state.streams, ...Object.fromEntries(changed) } };
}

function needsMerge<T extends SyncTypes>({ plan, batch }: StreamState<T>): boolean {
  // Where all rows of the table go there are none left of any file.
  const replacesFiles = !plan.replaces && batch.replacedFiles.length > 0;
  return replacesFiles || (plan.merges && (batch.parts.length > 0 || plan.marksMissing));
}

function batchOf<T extends SyncTypes>(state: StreamState<T>, { isWhole, merged }: CommitTask<T>): CommitBatch<T> {
  const { plan, number, batch } = state;
  const { id: stream, replaces } = plan;
  const changesTable = bringsTable(state, isWhole);
  return { stream, number: number + 1, batch, merged: merged[stream], replaces, changesTable, isWhole };
}
