import { parseExact, type State, type StreamDescriptor } from '@weir/connector-sdk';
import { streamKey } from './stream-key.ts';

/**
 * The member that our copies of one state for all streams carry: how many such states came before it, over all syncs. It
 * is ours and never goes back to the connector.
 */
const POSITION = 'weir_position';

type Kept = State & { readonly [POSITION]?: number };

/** A state for all streams as its connector told it, without what it counts. */
export function toldState(line: string): object {
  const { sourceStats: _, ...told } = (parseExact(line) as { state: State }).state;
  return told;
}

/** The text to store of a state that is one for all streams; `position` is its place among all of them. */
export function sharedState(told: object, position: number): string {
  return JSON.stringify({ ...told, [POSITION]: position });
}

/** What a stored state says of where its source is read on: without what its connector counted, and what we note in it. */
export function placeIn(text: string): object {
  const { sourceStats: _, [POSITION]: __, ...place } = parseExact(text) as Kept;
  return place;
}

/** Whether a state is one for all streams: a GLOBAL one, or LEGACY, which one without a type is. */
export function isShared({ type = 'LEGACY' }: State): boolean {
  return type === 'GLOBAL' || type === 'LEGACY';
}

/** Whether a stored state is one for all streams. */
export function holdsOneForAll(text: string): boolean {
  return isShared(JSON.parse(text) as State);
}

/** Whether a state for all streams has anything that could be given back. */
export function holdsShared({ type, ...state }: State): boolean {
  const { global, data } = state as { global?: unknown; data?: unknown };
  return type === 'GLOBAL' ? typeof global === 'object' && global !== null : data !== undefined && data !== null;
}

/**
 * Whether streams that share a state stand at one place of it: all that have a stored state have the same copy. Otherwise
 * no state that could be given back would be right for all of them.
 */
export function standTogether(states: readonly string[]): boolean {
  const shared = states.filter((text) => isShared(JSON.parse(text) as Kept));
  return shared.length === 0 || new Set(states).size === 1;
}

/** The highest position among stored states; 0 where there is none. States count on from it. */
export function lastPosition(states: readonly string[]): number {
  return Math.max(0, ...states.map((text) => (JSON.parse(text) as Kept)[POSITION] ?? 0));
}

/**
 * The state file of the next `read`, from states that stand together. States of streams are an array of them, in any order.
 * Of a state for all streams every stream has stored the same copy; what `withoutState` names begins anew. A connector that
 * told its state without a type gets it back as it told it: an array would be strange to it.
 */
export function stateFile(states: readonly string[], withoutState: readonly StreamDescriptor[] = []): string {
  const shared = states.find((text) => isShared(JSON.parse(text) as Kept));
  if (shared === undefined) return `[${states.join(',')}]`;
  const { [POSITION]: _, ...state } = parseExact(shared) as Kept;
  const left = withoutStreams(state, withoutState);
  return JSON.stringify(left.type === undefined ? (left.data ?? {}) : [left]);
}

/**
 * Whether the part of one stream can be told from the rest of a state for all streams, so that it can begin anew beside the
 * others: a GLOBAL state with states of streams, or a value of the connector's own that keeps parts under names of streams,
 * or that holds nothing. True of states of streams. `names` are those of all streams of the source.
 */
export function isDivisible(states: readonly string[], names: readonly string[]): boolean {
  const shared = states.map((text) => JSON.parse(text) as Kept).find(isShared);
  return shared === undefined || statesOfStreams(shared).length > 0 || hasParts(ownValue(shared), names);
}

/** The states of streams that a GLOBAL state holds. */
function statesOfStreams({ type, ...state }: State): { stream_descriptor: StreamDescriptor }[] {
  const { global } = state as { global?: { stream_states?: { stream_descriptor: StreamDescriptor }[] } | null };
  return type === 'GLOBAL' && Array.isArray(global?.stream_states) ? global.stream_states : [];
}

/** What only the connector understands: a LEGACY state, or what a GLOBAL one has for all streams. */
function ownValue({ type, ...state }: State): unknown {
  const { global, data } = state as { global?: { shared_state?: unknown } | null; data?: unknown };
  return type === 'GLOBAL' ? global?.shared_state : data;
}

function hasParts(value: unknown, names: readonly string[]): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const { bookmarks } = value as { bookmarks?: unknown };
  if (typeof bookmarks === 'object' && bookmarks !== null && hasParts(bookmarks, names)) return true;
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((key) => names.includes(key));
}

/**
 * A state for all streams that knows nothing of some of them. What is the connector's own goes where it is kept under the
 * name of the stream, as Airbyte's and Singer's of old do; what belongs to all streams beside states of streams stays.
 */
function withoutStreams(state: State, streams: readonly StreamDescriptor[]): State {
  const names = streams.map(({ name }) => name);
  if (names.length === 0) return state;
  if (state.type !== 'GLOBAL') return { ...state, data: withoutNames(state.data, names) };
  const { global } = state as { global?: object };
  const known = statesOfStreams(state);
  if (known.length === 0) {
    const own = ownValue(state);
    return own === undefined ? state : { ...state, global: { ...global, shared_state: withoutNames(own, names) } };
  }
  const gone = new Set(streams.map(streamKey));
  const left = known.filter(({ stream_descriptor: stream }) => !gone.has(streamKey(stream)));
  return { ...state, global: { ...global, stream_states: left } };
}

function withoutNames(data: unknown, names: readonly string[]): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const left = Object.entries(data).filter(([name]) => !names.includes(name));
  return Object.fromEntries(
    left.map(([name, part]) => [name, name === 'bookmarks' ? withoutNames(part, names) : part]),
  );
}
