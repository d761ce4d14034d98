import { ALL_FENCES, type Fences } from '../fences.ts';
import type { Machine, Step } from '../machine.ts';
import { closeNext, holdTogether, sharingOf } from './close-task.ts';
import { commitAnswer, mergeAgain } from './commit-task.ts';
import { beginSegment, segmentAnswer } from './segment-task.ts';
import { broken, newStream } from './stream-state.ts';
import type { PlannedStream, StreamState, SyncEffect, SyncEvent, SyncState, SyncTypes } from './sync-types.ts';

/**
 * One attempt of a sync, between the process that reads and stages and the one that holds the database.
 *
 * Segments are staged one after the other, in the order in which they were sealed. The rows of a stream that tells
 * states are committed with the state that covers them and never before it; those of a stream that tells none are
 * committed once, at its end, and only if it ended well. What a failed stream has behind its last state is given up, to
 * be read again from there. Streams that share one state go on together or not at all: it is stored in one step with the
 * rows of all of them.
 */
export function syncMachine<T extends SyncTypes>(
  plans: readonly PlannedStream<T>[],
  fences: Fences = ALL_FENCES,
): Machine<SyncState<T>, SyncEvent<T>, SyncEffect<T>> {
  const initial: SyncState<T> = {
    streams: Object.fromEntries(plans.map((plan) => [plan.id, newStream(plan)])),
    queue: [],
    task: undefined,
    failures: undefined,
    places: 0,
    isShared: false,
    failed: undefined,
    isDone: false,
  };
  return {
    initial,
    step: (state, event) => goOn(together(react(state, event, fences), fences), fences),
    hasEnded: ({ failed, isDone }) => failed !== undefined || isDone,
  };
}

type Next<T extends SyncTypes> = Step<SyncState<T>, SyncEffect<T>>;

function react<T extends SyncTypes>(state: SyncState<T>, event: SyncEvent<T>, fences: Fences): Next<T> {
  const { task } = state;
  switch (event.type) {
    case 'sealed':
      return { state: { ...state, queue: [...state.queue, event.segment] }, effects: [] };
    case 'read':
      return { state: { ...state, failures: event.failures }, effects: [] };
    case 'cancel':
      return { state, effects: [{ type: 'stop' }] };
    case 'failed':
      return { state: { ...state, failed: { reported: event.failure }, task: undefined }, effects: [] };
    case 'stream_failed':
      return giveUp(state, event.failure);
    case 'base_moved':
      return task?.kind === 'commit' ? mergeAgain(state, task) : { state, effects: [] };
    default:
      if (task === undefined) return { state, effects: [] };
      return task.kind === 'segment' ? segmentAnswer(state, event, { task, fences }) : commitAnswer(state, event, task);
  }
}

function together<T extends SyncTypes>(step: Next<T>, fences: Fences): Next<T> {
  return fences.together ? { ...step, state: holdTogether(step.state) } : step;
}

/** Ends what is under way with the failure of its stream. */
function giveUp<T extends SyncTypes>(state: SyncState<T>, reported: T['failure']): Next<T> {
  const { task } = state;
  if (task === undefined) return { state, effects: [] };
  const id = task.kind === 'segment' ? task.segment.stream : (task.merging?.stream ?? task.streams[0] ?? '');
  const stream = state.streams[id];
  const streams = stream === undefined ? state.streams : { ...state.streams, [id]: broken(stream, { reported }) };
  const effects: SyncEffect<T>[] = task.kind === 'segment' ? [{ type: 'release', segment: task.segment.id }] : [];
  return { state: { ...state, streams, task: undefined }, effects };
}

/** Begins what is next while nothing is under way: a segment, then the end of a stream, then that of the attempt. */
function goOn<T extends SyncTypes>(step: Next<T>, fences: Fences): Next<T> {
  let { state } = step;
  const effects = [...step.effects];
  while (state.task === undefined && state.failed === undefined && !state.isDone) {
    const next = begin(state, fences);
    if (next === undefined) break;
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}

function begin<T extends SyncTypes>(state: SyncState<T>, fences: Fences): Next<T> | undefined {
  const [segment, ...queue] = state.queue;
  if (segment !== undefined) return beginSegment({ ...state, queue }, segment, fences);
  if (state.failures === undefined) return undefined;
  const open = Object.values(state.streams).find(({ isClosed }) => !isClosed);
  if (open === undefined) return { state: { ...state, isDone: true }, effects: [] };
  const isJoint = fences.together && state.isShared && open.plan.isStateful;
  return closeNext(state, isJoint ? sharingOf(state) : [open], state.failures);
}

/** What became of each stream of an attempt that has come to its end. */
export function streamsOf<T extends SyncTypes>({ streams }: SyncState<T>): readonly StreamState<T>[] {
  return Object.values(streams);
}
