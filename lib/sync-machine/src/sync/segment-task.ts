import type { Fences } from '../fences.ts';
import type { Step } from '../machine.ts';
import { sharesState, sharingOf } from './close-task.ts';
import { beginCommit } from './commit-task.ts';
import { type Brought, broken, covered, NO_ROWS, withSegment } from './stream-state.ts';
import type {
  RuleBroken,
  Segment,
  StreamState,
  SyncEffect,
  SyncEvent,
  SyncState,
  SyncTypes,
  Task,
} from './sync-types.ts';

type Next<T extends SyncTypes> = Step<SyncState<T>, SyncEffect<T>>;
type SegmentTask<T extends SyncTypes> = Extract<Task<T>, { kind: 'segment' }>;

/** Begins a segment: its place is written down, then it is staged. One of a stream that has failed is let go. */
export function beginSegment<T extends SyncTypes>(state: SyncState<T>, segment: Segment<T>, fences: Fences): Next<T> {
  const stream = state.streams[segment.stream];
  if (stream === undefined || stream.failure !== undefined) return { state, effects: [release(segment)] };
  if (!segment.hasRows) return settle(state, segment, { brought: NO_ROWS, fences });
  return stage(state, { kind: 'segment', segment, place: 0, isEvolved: false, staged: undefined }, fences);
}

/** Goes on with the segment that is under way. */
export function segmentAnswer<T extends SyncTypes>(
  state: SyncState<T>,
  event: SyncEvent<T>,
  { task, fences }: { task: SegmentTask<T>; fences: Fences },
): Next<T> {
  const { segment, place, staged } = task;
  switch (event.type) {
    case 'intended':
      return {
        state,
        effects: [staged === undefined ? stageEffect(task) : { type: 'quarantine', stream: segment.stream, place }],
      };
    case 'staged':
      return afterStage(state, event, { task, fences });
    case 'evolved':
      return stage(state, { ...task, isEvolved: true }, fences);
    case 'quarantined': {
      const brought = { part: staged?.part, quarantine: event.part, rejected: staged?.rejected ?? 0 };
      return settle({ ...state, task: undefined }, segment, { brought, fences });
    }
    default:
      return { state, effects: [] };
  }
}

/** Decides on members that no column holds and on rejected lines, before any of it counts as staged. */
function afterStage<T extends SyncTypes>(
  state: SyncState<T>,
  { part, rejected, unknown }: Extract<SyncEvent<T>, { type: 'staged' }>,
  { task, fences }: { task: SegmentTask<T>; fences: Fences },
): Next<T> {
  const { segment } = task;
  const stream = state.streams[segment.stream];
  if (stream === undefined) return { state: { ...state, task: undefined }, effects: [release(segment)] };
  const { policy, maxRejected } = stream.plan;
  if (unknown.length > 0 && policy === 'freeze') {
    return refuse(state, segment, { rule: 'schema_frozen', columns: unknown });
  }
  if (unknown.length > 0 && policy === 'evolve' && !task.isEvolved) {
    return { state, effects: [{ type: 'evolve', stream: segment.stream, columns: unknown }] };
  }
  if (stream.rejected + rejected > maxRejected) {
    return refuse(state, segment, { rule: 'too_many_rejects', limit: maxRejected });
  }
  if (rejected === 0) {
    const brought = { part, quarantine: undefined, rejected };
    return settle({ ...state, task: undefined }, segment, { brought, fences });
  }
  return intend(state, { ...task, staged: { part, rejected } }, fences);
}

function stage<T extends SyncTypes>(state: SyncState<T>, task: SegmentTask<T>, fences: Fences): Next<T> {
  return intend(state, { ...task, staged: undefined }, fences);
}

/** Takes a new place for what the task writes next, and has it written down before anything lies there. */
function intend<T extends SyncTypes>(state: SyncState<T>, task: SegmentTask<T>, fences: Fences): Next<T> {
  const place = state.places + 1;
  const next = { ...task, place };
  const { stream } = task.segment;
  const of = task.staged === undefined ? 'rows' : 'quarantine';
  const write: SyncEffect<T> = of === 'rows' ? stageEffect(next) : { type: 'quarantine', stream, place };
  return {
    state: { ...state, places: place, task: next },
    effects: [fences.intents ? { type: 'intend', stream, of, place } : write],
  };
}

/** Lets a segment go whose rows are staged, and commits where a state closes the batch of a stream that may go on. */
function settle<T extends SyncTypes>(
  state: SyncState<T>,
  segment: Segment<T>,
  { brought, fences }: { brought: Brought<T>; fences: Fences },
): Next<T> {
  const before = state.streams[segment.stream];
  if (before === undefined) return { state, effects: [release(segment)] };
  const staged = withSegment(before, segment, brought);
  const early = !fences.checkpointOrder && staged.plan.isStateful && segment.state === undefined;
  const stream = early ? covered(staged, staged.state) : staged;
  const next: SyncState<T> = {
    ...state,
    isShared: state.isShared || (stream.plan.isStateful && segment.isShared),
    streams: { ...state.streams, [segment.stream]: stream },
  };
  const isCovered = stream.plan.isStateful && (segment.state !== undefined || early);
  const due = isCovered && !segment.isFinal ? dueWith(next, stream, fences) : [];
  if (due.length === 0) return { state: next, effects: [release(segment)] };
  const commit = beginCommit(next, due, { isWhole: false });
  return { state: commit.state, effects: [release(segment), ...commit.effects] };
}

/** What is to be committed now that a state covers a stream: the stream, or all that share the state once it covers them. */
function dueWith<T extends SyncTypes>(
  state: SyncState<T>,
  stream: StreamState<T>,
  fences: Fences,
): readonly StreamState<T>[] {
  const streams = fences.together && state.isShared ? sharingOf(state) : [stream];
  if (streams.some(({ plan, failure }) => plan.atEnd || failure !== undefined)) return [];
  return streams.length === 1 || sharesState(streams) ? streams : [];
}

function refuse<T extends SyncTypes>(state: SyncState<T>, segment: Segment<T>, failure: RuleBroken<T>): Next<T> {
  const stream = state.streams[segment.stream];
  const streams =
    stream === undefined ? state.streams : { ...state.streams, [segment.stream]: broken(stream, failure) };
  return { state: { ...state, streams, task: undefined }, effects: [release(segment)] };
}

function stageEffect<T extends SyncTypes>({ segment, place }: SegmentTask<T>): SyncEffect<T> {
  return { type: 'stage', segment, place };
}

function release<T extends SyncTypes>({ id }: Segment<T>): SyncEffect<T> {
  return { type: 'release', segment: id };
}
