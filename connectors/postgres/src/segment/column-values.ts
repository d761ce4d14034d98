import type { ColumnKind } from '../column-kind.ts';
import { markOdd, type Rows } from './binary-block.ts';
import { dateOf, isHeldDate, isHeldMoment, MICROS_1970_TO_2000 } from './binary-time.ts';
import { byteValues } from './byte-values.ts';
import { decimalValues } from './decimal-values.ts';
import { type ColumnValues, fixedValues } from './fixed-values.ts';
import { type Room, room } from './room.ts';

/** How values of a kind are kept. `isJsonb` says that a version stands before each value. */
export function columnValues(kind: ColumnKind, isJsonb: boolean): ColumnValues {
  switch (kind) {
    case 'boolean':
      return truthValues();
    case 'int':
      return fixedValues(4, putInts);
    case 'float':
      return fixedValues(4, putFloats);
    case 'long':
      return fixedValues(8, putLongs);
    case 'double':
    case 'time':
      return fixedValues(8, putEights);
    case 'date':
      return fixedValues(4, putDates);
    case 'timestamp':
    case 'timestamptz':
      return fixedValues(8, putMoments);
    case 'uuid':
      return fixedValues(16, putUuids);
    case 'binary':
    case 'json':
    case 'text':
      return byteValues(isJsonb ? 1 : 0);
    default:
      return decimalValues(kind);
  }
}

function putInts(to: Room, { view, places, step, count }: Rows, column: number): number {
  const target = to.view;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    const [from, length] = [places[at] as number, places[at + 1] as number];
    if (length < 0) continue;
    target.setInt32(end, length === 2 ? view.getInt16(from) : view.getInt32(from), true);
    end += 4;
  }
  return end;
}

function putFloats(to: Room, { view, places, step, count }: Rows, column: number): number {
  const target = to.view;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    if ((places[at + 1] as number) < 0) continue;
    target.setInt32(end, view.getInt32(places[at] as number), true);
    end += 4;
  }
  return end;
}

function putEights(to: Room, { view, places, step, count }: Rows, column: number): number {
  const target = to.view;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    const from = places[at] as number;
    if ((places[at + 1] as number) < 0) continue;
    target.setInt32(end, view.getInt32(from + 4), true);
    target.setInt32(end + 4, view.getInt32(from), true);
    end += 8;
  }
  return end;
}

/** A `bigint`, or an `oid`, which has 32 bits without a sign. */
function putLongs(to: Room, { view, places, step, count }: Rows, column: number): number {
  const target = to.view;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    const [from, length] = [places[at] as number, places[at + 1] as number];
    if (length < 0) continue;
    target.setInt32(end, view.getInt32(from + length - 4), true);
    target.setInt32(end + 4, length === 8 ? view.getInt32(from) : 0, true);
    end += 8;
  }
  return end;
}

function putDates(to: Room, rows: Rows, column: number): number {
  const { view, places, step, count } = rows;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    if ((places[at + 1] as number) < 0) continue;
    const days = dateOf(view.getInt32(places[at] as number));
    if (!isHeldDate(days)) markOdd(rows, at);
    to.view.setInt32(end, days, true);
    end += 4;
  }
  return end;
}

const [OFFSET_LOW, OFFSET_HIGH] = [
  Number(MICROS_1970_TO_2000 & 0xffff_ffffn),
  Number(MICROS_1970_TO_2000 >> 32n),
] as const;
const WORD = 2 ** 32;
/** Upper words of moments that are held for sure, from the year 33 to 290000. */
const [SAFE_LOW, SAFE_HIGH] = [-14_450_000, 2_100_000_000] as const;

function putMoments(to: Room, rows: Rows, column: number): number {
  const { view, places, step, count } = rows;
  const target = to.view;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    const from = places[at] as number;
    if ((places[at + 1] as number) < 0) continue;
    const high = view.getInt32(from);
    if ((high < SAFE_LOW || high > SAFE_HIGH) && !isHeldMoment(view.getBigInt64(from))) markOdd(rows, at);
    const low = view.getUint32(from + 4) + OFFSET_LOW;
    target.setUint32(end, low, true);
    target.setInt32(end + 4, high + OFFSET_HIGH + (low >= WORD ? 1 : 0), true);
    end += 8;
  }
  return end;
}

function putUuids(to: Room, { view, places, step, count }: Rows, column: number): number {
  const target = to.view;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    const from = places[at] as number;
    if ((places[at + 1] as number) < 0) continue;
    for (let word = 0; word < 16; word += 4) target.setInt32(end + word, view.getInt32(from + word));
    end += 16;
  }
  return end;
}

/** A bit for each value. */
function truthValues(): ColumnValues {
  const to = room();
  let [count, before] = [0, 0];
  return {
    put({ bytes, places, step, count: rows }, column) {
      to.reserve((rows >> 3) + 2);
      before = count;
      const target = to.bytes;
      for (let at = column; at < rows * step; at += step) {
        if ((places[at + 1] as number) < 0) continue;
        const bit = bytes[places[at] as number] === 0 ? 0 : 1;
        const place = count >> 3;
        if ((count & 7) === 0) target[place] = bit;
        else target[place] = (target[place] as number) | (bit << (count & 7));
        count += 1;
      }
      to.end = (count + 7) >> 3;
    },
    undo() {
      count = before;
      to.end = (count + 7) >> 3;
      const inLast = count & 7;
      if (inLast > 0) to.bytes[to.end - 1] = (to.bytes[to.end - 1] as number) & ((1 << inLast) - 1);
    },
    take() {
      count = 0;
      return { values: to.take() };
    },
  };
}
