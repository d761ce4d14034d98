import { type Dictionary, MAX_DICTIONARY_VALUES, placesPage } from '@weir/parquet';
import type { Rows } from './binary-block.ts';
import { type Room, room } from './room.ts';

/** Longer values are seldom the same, and looking for them costs more than to write them. */
const MAX_VALUE_BYTES = 64;
/** A power of two, and so many that most values are found where they are looked for first. */
const SLOTS = 1024;
const SLOT_SHIFT = 22;
const LAST_SLOT = SLOTS - 1;
const EMPTY = -1;
const NOWHERE = -1;
/** 2^32 by the golden ratio: what it multiplies is spread over the upper bits. */
const SPREAD = 0x9e3779b1;
const WORD_BYTES = 4;
const LENGTH_BYTES = 4;

/** Values of which each is kept once, with the place of each row's among them. */
export type RepeatedValues = {
  /** Adds the values of all rows; false, and none is added, when there are too many different ones or a long one. */
  readonly put: (rows: Rows, column: number) => boolean;
  /** Takes back what was added last. */
  readonly undo: () => void;
  /** Writes all values behind the end of a room, each behind its length, and begins anew. */
  readonly spellOut: (to: Room) => void;
  /** Gives all places with their dictionary, until the next value is added, and begins anew; undefined when each value has few, or there is none. */
  readonly take: () => { readonly values: Buffer; readonly dictionary: Dictionary } | undefined;
};

/** Keeps no values yet. `skipped` bytes of what the server sends stand before each. */
export function repeatedValues(skipped: number): RepeatedValues {
  const places = room();
  /** Each value behind its length, as the dictionary has them. */
  const known = room();
  const starts = new Int32Array(MAX_DICTIONARY_VALUES);
  const hashes = new Int32Array(MAX_DICTIONARY_VALUES);
  const slots = new Int16Array(SLOTS).fill(EMPTY);
  let count = 0;
  /** How many places and values there were before what was added last. */
  let before = { places: 0, count: 0 };

  const added = (slot: number, hash: number, view: DataView, from: number, length: number): number => {
    if (count === MAX_DICTIONARY_VALUES) return NOWHERE;
    known.reserve(LENGTH_BYTES + length);
    [starts[count], hashes[count], slots[slot]] = [known.end, hash, count];
    known.view.setUint32(known.end, length, true);
    known.end += LENGTH_BYTES;
    for (let at = from; at < from + length; at += 1, known.end += 1) known.bytes[known.end] = view.getUint8(at);
    count += 1;
    return count - 1;
  };
  const placeOf = (view: DataView, from: number, length: number): number => {
    const hash = hashOf(view, from, length);
    let slot = hash >>> SLOT_SHIFT;
    let place = slots[slot] as number;
    while (place !== EMPTY) {
      if (hashes[place] === hash && isSame(known.view, starts[place] as number, view, from, length)) return place;
      slot = (slot + 1) & LAST_SLOT;
      place = slots[slot] as number;
    }
    return added(slot, hash, view, from, length);
  };
  /** Keeps the first values, and nothing of those behind them. */
  const keep = (kept: number) => {
    if (kept === count) return;
    slots.fill(EMPTY);
    known.end = starts[kept] as number;
    count = kept;
    for (let place = 0; place < kept; place += 1) {
      let slot = (hashes[place] as number) >>> SLOT_SHIFT;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & LAST_SLOT;
      slots[slot] = place;
    }
  };
  const beginAnew = () => {
    keep(0);
    places.end = 0;
  };
  return {
    put(rows, column) {
      const { view, places: sent, step, count: rowCount } = rows;
      places.reserve(rowCount);
      const target = places.bytes;
      before = { places: places.end, count };
      let { end } = places;
      for (let at = column; at < rowCount * step; at += step) {
        const length = (sent[at + 1] as number) - skipped;
        if (length + skipped < 0) continue;
        const place = length > MAX_VALUE_BYTES ? NOWHERE : placeOf(view, (sent[at] as number) + skipped, length);
        if (place === NOWHERE) return false;
        target[end] = place;
        end += 1;
      }
      places.end = end;
      return true;
    },
    undo() {
      places.end = before.places;
      keep(before.count);
    },
    spellOut(to) {
      for (const place of places.bytes.subarray(0, places.end)) {
        const from = starts[place] as number;
        const end = from + LENGTH_BYTES + known.view.getUint32(from, true);
        to.reserve(end - from);
        to.end += known.bytes.copy(to.bytes, to.end, from, end);
      }
      beginAnew();
    },
    take() {
      if (count === 0 || 2 * count > places.end) return undefined;
      const taken = { values: placesPage(places.take()), dictionary: { count, values: known.take() } };
      beginAnew();
      return taken;
    },
  };
}

/** Of a value's length, its two ends and its middle: all of it is only compared, as most values are the one that is found first. */
function hashOf(view: DataView, from: number, length: number): number {
  if (length < WORD_BYTES) {
    let hash = length;
    for (let at = from; at < from + length; at += 1) hash = Math.imul(hash ^ view.getUint8(at), SPREAD);
    return hash;
  }
  const ends = view.getInt32(from, true) ^ Math.imul(view.getInt32(from + length - WORD_BYTES, true), SPREAD);
  const middle = view.getInt32(from + ((length - WORD_BYTES) >> 1), true);
  return Math.imul(Math.imul(ends, SPREAD) ^ middle ^ length, SPREAD);
}

/**
 * Whether the value behind its length at `start` is the one that was sent, word by word, the last of which ends where it
 * does. The numbers are not one object: to make one for each value costs as much as to compare it.
 */
function isSame(known: DataView, start: number, view: DataView, from: number, length: number): boolean {
  if (known.getInt32(start, true) !== length) return false;
  const shift = start + LENGTH_BYTES - from;
  if (length < WORD_BYTES) {
    for (let at = from; at < from + length; at += 1) {
      if (view.getUint8(at) !== known.getUint8(at + shift)) return false;
    }
    return true;
  }
  const last = from + length - WORD_BYTES;
  for (let at = from; at < last; at += WORD_BYTES) {
    if (view.getInt32(at, true) !== known.getInt32(at + shift, true)) return false;
  }
  return view.getInt32(last, true) === known.getInt32(last + shift, true);
}
