import { holdsOneForAll, isDivisible, standTogether } from '@weir/connector-runtime';

/** A stream that is read by states, and the one that it goes on from; undefined where it begins anew. */
export interface Standing {
  name: string;
  state: string | undefined;
}

/** Why a stream is not read now. */
export type LeftOut = 'states_apart' | 'state_indivisible' | 'state_kind_changed';

/**
 * Which streams cannot be read by one run of the connector, as all are given one state file: undefined for each that can.
 *
 * - Some stand at a state for all of them and others at one of their own, as when a crash met the first sync of a connector
 *   that tells states of streams now: those at the old kind are read first, and the others by the next attempt.
 * - Those at states for all of them stand at different places: none is read.
 * - One begins anew beside a state for all that keeps nothing apart: the connector would take it for read.
 */
export function leftOut(streams: readonly Standing[]): (LeftOut | undefined)[] {
  const states = streams.flatMap(({ state }) => state ?? []);
  const shared = states.filter(holdsOneForAll);
  if (shared.length === 0) return streams.map(() => undefined);
  if (!standTogether(shared)) return streams.map(() => 'states_apart');
  if (shared.length < states.length) {
    return streams.map(({ state }) =>
      state !== undefined && holdsOneForAll(state) ? undefined : 'state_kind_changed',
    );
  }
  const names = streams.map(({ name }) => name);
  if (isDivisible(shared, names)) return streams.map(() => undefined);
  return streams.map(({ state }) => (state === undefined ? 'state_indivisible' : undefined));
}
