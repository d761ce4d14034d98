import { parseExact, type State, type StreamDescriptor } from '@weir/connector-sdk';
import { streamKey } from './stream-key.ts';

/**
 * The member that our copies of one state for all streams carry: how many such states came before it, over all syncs. It
 * is ours and never goes back to the connector.
 */
const POSITION = 'weir_position';

type Kept = State & { readonly [POSITION]?: number };

/** The text to store of a state that is one for all streams; `position` is its place among all of them. */
export function sharedState(line: string, position: number): string {
  const { state } = parseExact(line) as { state: object };
  return JSON.stringify({ ...state, [POSITION]: position });
}

/** Whether a state is one for all streams: a GLOBAL one, or LEGACY, which one without a type is. */
export function isShared({ type = 'LEGACY' }: State): boolean {
  return type === 'GLOBAL' || type === 'LEGACY';
}

/** The highest position among stored states; 0 where there is none. States count on from it. */
export function lastPosition(states: readonly string[]): number {
  return Math.max(0, ...states.map((text) => (JSON.parse(text) as Kept)[POSITION] ?? 0));
}

/**
 * The state file of the next `read`. States of streams are an array of them, in any order. Of a state for all streams
 * every stream has stored a copy with its own rows: when some have gone further than others, as after a crash between two
 * tables, the earliest is given back, so that no row is lost; what `withoutState` names begins anew. A connector that told
 * its state without a type gets it back as it told it: an array would be strange to it.
 */
export function stateFile(states: readonly string[], withoutState: readonly StreamDescriptor[] = []): string {
  const kept = states.map((text) => ({ text, state: parseExact(text) as Kept }));
  const shared = kept.filter(({ state }) => isShared(state));
  if (shared.length === 0) return `[${states.join(',')}]`;
  const [first] = shared.toSorted((a, b) => (a.state[POSITION] ?? 0) - (b.state[POSITION] ?? 0));
  const { [POSITION]: _, ...state } = first?.state ?? {};
  const left = withoutStreams(state, withoutState);
  return JSON.stringify(left.type === undefined ? (left.data ?? {}) : [left]);
}

/**
 * A state for all streams that knows nothing of some of them. A LEGACY one is the connector's own; where it keeps a part
 * under the name of each stream, as Airbyte's and Singer's of old do, that part goes.
 */
function withoutStreams(state: State, streams: readonly StreamDescriptor[]): State {
  const { global } = state as { global?: { stream_states?: { stream_descriptor: StreamDescriptor }[] } };
  const names = streams.map(({ name }) => name);
  if (state.type !== 'GLOBAL' && names.length > 0) return { ...state, data: withoutNames(state.data, names) };
  if (names.length === 0 || !Array.isArray(global?.stream_states)) return state;
  const gone = new Set(streams.map(streamKey));
  const left = global.stream_states.filter(({ stream_descriptor: stream }) => !gone.has(streamKey(stream)));
  return { ...state, global: { ...global, stream_states: left } };
}

function withoutNames(data: unknown, names: readonly string[]): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const left = Object.entries(data).filter(([name]) => !names.includes(name));
  return Object.fromEntries(
    left.map(([name, part]) => [name, name === 'bookmarks' ? withoutNames(part, names) : part]),
  );
}
