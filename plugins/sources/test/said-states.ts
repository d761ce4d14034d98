import type { State } from '@weir/connector-sdk';
import { type Draw, draw } from '@weir/engine';
import type { Says, SharedStream } from './shared-states-world.ts';

/** How a connector tells its states. */
export type StateKind = 'STREAM' | 'GLOBAL' | 'LEGACY' | 'none';

/** A source whose streams grow; what it says of them is in another order each time that it is asked. */
export interface GrowingSource {
  readonly kind: StateKind;
  readonly streams: readonly SharedStream[];
  /** How many rows each stream has by now. A row is its number and, in turn, one of a few keys. */
  readonly sizes: Map<string, number>;
}

const KEYS = 4;
/** How likely a state follows on a row. */
const TELLS = 0.3;

/** The rows of a stream from one to before another. */
export function rowsBetween(from: number, to: number): [number, number][] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => [from + at, (from + at) % KEYS]);
}

/** The rows that the table of a stream has when so many of the source have been read. */
export function rowsWanted({ write }: SharedStream, upTo: number): [number, number][] {
  return rowsBetween(write === 'merge' ? Math.max(0, upTo - KEYS) : 0, upTo);
}

/** Up to which row a stored state covers a stream. */
export function coveredBy(text: string | undefined, name: string): number {
  return positionsOf(text === undefined ? [] : [JSON.parse(text)]).get(name) ?? 0;
}

/** What the connector says of its streams, from the state that it is given; of all of it, the first `share`. */
export function says({ kind, streams, sizes }: GrowingSource, seed: number, share: number): Says {
  const chance = chanceOf(seed);
  return ({ catalog, state }) => {
    const asked = (JSON.parse(catalog) as { streams: { stream: { name: string } }[] }).streams;
    const names = asked.map(({ stream }) => stream.name);
    const isStateful = (name: string) => streams.find((one) => one.name === name)?.write !== 'overwrite';
    const given = JSON.parse(state) as State[] | Record<string, number>;
    const found = positionsOf(Array.isArray(given) ? given : [{ data: given }]);
    const at = new Map(names.map((name) => [name, isStateful(name) ? (found.get(name) ?? 0) : 0]));
    const stateful = names.filter(isStateful);
    const lines: object[] = [];
    const tell = (name: string) => {
      if (kind !== 'none' && isStateful(name)) lines.push({ type: 'STATE', state: stateOf(kind, name, stateful, at) });
    };
    for (
      let open = names;
      open.length > 0;
      open = open.filter((name) => (at.get(name) ?? 0) < (sizes.get(name) ?? 0))
    ) {
      const name = open[Math.floor(chance() * open.length)] ?? '';
      const id = at.get(name) ?? 0;
      if (id < (sizes.get(name) ?? 0)) {
        lines.push({ type: 'RECORD', record: { stream: name, data: { id, key: id % KEYS }, emitted_at: 1 } });
        at.set(name, id + 1);
        if (chance() < TELLS) tell(name);
      }
    }
    for (const name of names) tell(name);
    for (const name of names) {
      const stream_status = { stream_descriptor: { name }, status: 'COMPLETE' };
      lines.push({ type: 'TRACE', trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status } });
    }
    const said = lines.slice(0, Math.floor(lines.length * share));
    return { lines: said.map((line) => JSON.stringify(line)), code: share < 1 ? 1 : 0 };
  };
}

function stateOf(kind: StateKind, name: string, names: readonly string[], at: ReadonlyMap<string, number>): State {
  const own = (name: string) => ({ stream_descriptor: { name }, stream_state: { at: at.get(name) } });
  if (kind === 'STREAM') return { type: 'STREAM', stream: own(name) };
  if (kind === 'LEGACY') return { data: Object.fromEntries(names.map((one) => [one, at.get(one)])) };
  const sum = names.reduce((total, one) => total + (at.get(one) ?? 0), 0);
  return { type: 'GLOBAL', global: { shared_state: { sum }, stream_states: names.map(own) } };
}

type Own = { stream_descriptor: { name: string }; stream_state: { at: number } };

function positionsOf(states: readonly State[]): Map<string, number> {
  const entries = states.flatMap(({ type, stream, global, data }): [string, number][] => {
    if (type === 'STREAM') return [[(stream as Own).stream_descriptor.name, (stream as Own).stream_state.at]];
    if (type !== 'GLOBAL') return Object.entries((data ?? {}) as Record<string, number>);
    const { stream_states } = global as { stream_states: Own[] };
    return stream_states.map((own) => [own.stream_descriptor.name, own.stream_state.at]);
  });
  return new Map(entries);
}

function chanceOf(start: number): () => number {
  let drawn: Draw = { value: 0, seed: start };
  return () => {
    drawn = draw(drawn.seed);
    return drawn.value;
  };
}
