import type { Step } from '../machine.ts';
import { beginCommit } from './commit-task.ts';
import { broken, changesAnything, covered, hasNoState, hasUncovered } from './stream-state.ts';
import type { StreamFailure, StreamState, SyncEffect, SyncState, SyncTypes } from './sync-types.ts';

type Next<T extends SyncTypes> = Step<SyncState<T>, SyncEffect<T>>;

/**
 * Closes streams that have been read to their end: one, or all that share a state. When all ended well they are committed
 * whole; otherwise as far as a state covers them, unless one of them is committed at its end or not at all.
 */
export function closeNext<T extends SyncTypes>(
  state: SyncState<T>,
  streams: readonly StreamState<T>[],
  reported: Readonly<Record<string, T['failure'] | undefined>>,
): Next<T> {
  const ends = streams.map((stream): StreamState<T> => ({ ...endOf(stream, reported), isClosed: true }));
  if (ends.every(({ failure }) => failure === undefined)) {
    return beginCommit(withStreams(state, ends), ends, { isWhole: true });
  }
  const covers = streams.every(({ plan, failure }) => !plan.atEnd && failure === undefined) && sharesState(ends);
  if (covers) return beginCommit(withStreams(state, ends), ends, { isWhole: false });
  const closed = ends.map((end) => (changesAnything(end) || end.changesTable ? held(end) : end));
  return { state: withStreams(state, closed), effects: [] };
}

/** Whether a state covers the batches of all of these streams, and it is the same one where they are many. */
export function sharesState<T extends SyncTypes>(streams: readonly StreamState<T>[]): boolean {
  const states = new Set(streams.map(({ batch }) => batch.state));
  return states.size === 1 && !states.has(undefined);
}

/** The streams that go on together once a state for all of them was told, or as soon as one cannot go on, none of them. */
export function holdTogether<T extends SyncTypes>(state: SyncState<T>): SyncState<T> {
  const sharing = state.isShared ? sharingOf(state) : [];
  const isHeld = sharing.some(({ failure, isClosed }) => failure !== undefined && !isClosed);
  return isHeld ? withStreams(state, sharing.map(held)) : state;
}

/** The streams that tell states: a state for all streams is theirs. */
export function sharingOf<T extends SyncTypes>({ streams }: SyncState<T>): readonly StreamState<T>[] {
  return Object.values(streams).filter(({ plan }) => plan.isStateful);
}

function held<T extends SyncTypes>(stream: StreamState<T>): StreamState<T> {
  return stream.failure === undefined ? broken(stream, { rule: 'state_held' }) : stream;
}

function withStreams<T extends SyncTypes>(state: SyncState<T>, changed: readonly StreamState<T>[]): SyncState<T> {
  const streams = Object.fromEntries(changed.map((stream) => [stream.plan.id, stream]));
  return { ...state, streams: { ...state.streams, ...streams } };
}

/** The stream with its failure, if it has any, and with everything in its batch that its end covers. */
function endOf<T extends SyncTypes>(
  stream: StreamState<T>,
  reported: Readonly<Record<string, T['failure'] | undefined>>,
): StreamState<T> {
  if (stream.failure !== undefined) return stream;
  const failed = (failure: StreamFailure<T>): StreamState<T> => ({ ...stream, failure });
  const own = reported[stream.plan.id];
  if (own !== undefined) return failed({ reported: own });
  if (hasNoState(stream)) return covered(stream, undefined);
  return hasUncovered(stream) ? failed({ rule: 'rows_uncovered' }) : stream;
}
