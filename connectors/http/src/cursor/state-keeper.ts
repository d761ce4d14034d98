import { fault } from '../fault.ts';
import { type Dictionary, isDictionary, MISSING, member, type Value } from '../template/value.ts';
import type { Instant } from '../time/instant.ts';
import type { DatetimeCursor } from './datetime-cursor.ts';

/** With more partitions than this, one moment stands for all of them in the state, as in the reference. */
export const MAX_KEPT_PARTITIONS = 10_000;

/** Where reading had come to, by partition. */
export type StateKeeper = {
  /** From where a partition is read: what it reached, and how far before that it is looked, in milliseconds. */
  readonly reached: (partition: Dictionary) => { readonly at: Instant | undefined; readonly behindMs: bigint };
  /** A window of a partition was read whole; `most` is the latest moment in it. */
  readonly close: (partition: Dictionary, most: Instant | undefined) => void;
  /** The state so far; undefined while there is none that reading could go on from. */
  readonly state: (end?: {
    readonly seconds: number;
    readonly parent: Dictionary | undefined;
  }) => Dictionary | undefined;
  readonly count: () => number;
};

const keyOf = (partition: Dictionary): string =>
  JSON.stringify(partition, (_name, value: unknown) =>
    isDictionary(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
const laterOf = (a: Instant | undefined, b: Instant | undefined) =>
  a === undefined || (b !== undefined && b.micros > a.micros) ? b : a;

/** The state of a stream without partitions: the latest moment, as text in the cursor's format. */
export function singleKeeper(cursor: DatetimeCursor, stored: unknown): StateKeeper {
  let at = storedMoment(cursor, stored);
  return {
    reached: () => ({ at, behindMs: 0n }),
    close(_partition, most) {
      at = laterOf(laterOf(at, cursor.start), most);
    },
    state: () => ({ [cursor.field]: cursor.text(laterOf(at, cursor.start) ?? cursor.start) }),
    count: () => 1,
  };
}

function storedMoment(cursor: DatetimeCursor, stored: unknown): Instant | undefined {
  if (!isDictionary(stored) || !Object.hasOwn(stored, cursor.field)) return undefined;
  const at = cursor.parse(stored[cursor.field] as Value);
  if (at === undefined) throw fault('stored_state_invalid');
  return at;
}

/**
 * The state of a stream with partitions, in the shape of the reference: a moment for each, one for all that is new, and how
 * long the run took, by which a new partition is read further back.
 */
export function partitionKeeper(cursor: DatetimeCursor, stored: unknown): StateKeeper {
  const known = new Map<string, { partition: Dictionary; at: Instant | undefined }>();
  const before = isDictionary(stored) ? stored : {};
  const isPlain = !Object.hasOwn(before, 'states') && !Object.hasOwn(before, 'state');
  const shared = storedMoment(cursor, isPlain ? before : before.state);
  const isShared = before.use_global_cursor === true;
  const behindMs = BigInt(Math.max(0, Math.trunc(Number(before.lookback_window ?? 0)))) * 1000n;
  for (const entry of Array.isArray(before.states) ? before.states : []) {
    const partition: Value = isDictionary(entry) ? member(entry, 'partition') : MISSING;
    if (!isDictionary(entry) || !isDictionary(partition)) throw fault('stored_state_invalid');
    known.set(keyOf(partition), { partition, at: storedMoment(cursor, member(entry, 'cursor')) });
  }
  let highest = shared;
  const isTooMany = () => isShared || known.size > MAX_KEPT_PARTITIONS;
  const stateOf = (at: Instant | undefined) => ({ [cursor.field]: cursor.text(at ?? cursor.start) });
  return {
    reached(partition) {
      const own = isShared ? undefined : known.get(keyOf(partition));
      if (own !== undefined) return { at: own.at, behindMs: 0n };
      return { at: shared, behindMs: shared === undefined ? 0n : behindMs };
    },
    close(partition, most) {
      const key = keyOf(partition);
      const own = known.get(key);
      const at = laterOf(laterOf(own?.at ?? shared, cursor.start), most);
      known.set(key, { partition, at });
      highest = laterOf(highest, at);
    },
    state(end) {
      if (isTooMany() && end === undefined) return undefined;
      const states = [...known.values()].map(({ partition, at }) => ({ partition, cursor: stateOf(at) }));
      const moment = end === undefined ? shared : highest;
      return {
        use_global_cursor: isTooMany(),
        ...(isTooMany() ? {} : { states }),
        ...(moment === undefined ? {} : { state: stateOf(moment) }),
        lookback_window: end?.seconds ?? Number(behindMs / 1000n),
        ...(end?.parent === undefined
          ? Object.hasOwn(before, 'parent_state')
            ? { parent_state: before.parent_state as Value }
            : {}
          : { parent_state: end.parent }),
      };
    },
    count: () => known.size,
  };
}
