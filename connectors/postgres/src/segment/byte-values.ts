import type { Rows } from './binary-block.ts';
import type { ColumnValues } from './fixed-values.ts';
import { type RepeatedValues, repeatedValues } from './repeated-values.ts';
import { type Room, room } from './room.ts';

const LENGTH_BYTES = 4;
/** Up to here a loop is faster than a call that copies. */
const SHORT_BYTES = 128;
const WORD_BYTES = 8;

/**
 * Values of any length; `skipped` bytes of what the server sent stand before each. As long as they are few and short each is
 * kept once: such a page is smaller, and faster to read. Else each stands behind its length.
 */
export function byteValues(skipped: number): ColumnValues {
  const to = room();
  let before = 0;
  let repeated: RepeatedValues | undefined = repeatedValues(skipped);
  return {
    put(rows, column) {
      if (repeated?.put(rows, column)) return;
      repeated?.spellOut(to);
      repeated = undefined;
      // All values with their lengths are no more than the rows they are in.
      to.reserve(rows.size + WORD_BYTES);
      before = to.end;
      to.end = putBytes(to, rows, column, skipped);
    },
    undo() {
      if (repeated === undefined) to.end = before;
      else repeated.undo();
    },
    take() {
      const taken = repeated?.take();
      if (taken !== undefined) return taken;
      repeated?.spellOut(to);
      return { values: to.take() };
    },
  };
}

function putBytes(to: Room, { bytes, view, places, step, count }: Rows, column: number, skipped: number): number {
  const target = to.view;
  const lastWord = view.byteLength - WORD_BYTES;
  let { end } = to;
  for (let at = column; at < count * step; at += step) {
    const sent = places[at + 1] as number;
    if (sent < 0) continue;
    const from = (places[at] as number) + skipped;
    const length = sent - skipped;
    target.setUint32(end, length, true);
    end += LENGTH_BYTES;
    // Whole words, the last of them beyond the value: what stands there is overwritten by the next one.
    if (length > SHORT_BYTES || from + length > lastWord) bytes.copy(to.bytes, end, from, from + length);
    else
      for (let word = 0; word < length; word += WORD_BYTES) {
        target.setBigUint64(end + word, view.getBigUint64(from + word));
      }
    end += length;
  }
  return end;
}
