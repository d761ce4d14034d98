import { byteSpellings } from './byte-spellings.ts';
import { type Decoding, decodings } from './decode-text.ts';
import { openingsOf } from './open-values.ts';
import { partsOf, spellingsOf } from './value-spellings.ts';

/** What stands in the place of a credential. */
export const SCRUBBED = '[secret]';
/** Shorter values are words that texts have anyway; masking them would hide nothing and spoil everything. */
export const MIN_SCRUBBED_CHARS = 4;
/** Bound on the values that one scrubber masks; a credential has few. */
const MAX_VALUES = 10_000;
/** Bound on nested spellings of bytes. */
const MAX_BLOBS = 2;

/** Takes the credentials of one connector out of what it says. */
export interface Scrubber {
  /** The text without any credential, in whatever spelling. */
  text(text: string): string;
  /** Whether a text or bytes hold a credential. */
  finds(text: string | Uint8Array): boolean;
  /**
   * For a text that comes in pieces: what may be shown by now of everything that was pushed; what a credential may begin in
   * is held back until the next piece, or the end.
   */
  pieces(): { push(piece: string): string; end(): string };
}

/**
 * A scrubber of credential values. It decodes the text as JSON, URL, HTML, base64, hexadecimal and lists of bytes, nested
 * within bounds, and looks for the values themselves, in some spellings. Values of fewer than `minChars` characters are left.
 */
export function createScrubber(values: Iterable<string>, minChars: number = MIN_SCRUBBED_CHARS): Scrubber {
  const parts = [...new Set([...values].flatMap(partsOf).filter((part) => part.length >= minChars))].slice(
    0,
    MAX_VALUES,
  );
  if (parts.length === 0) return NOTHING_TO_SCRUB;
  const known = [...new Set(parts.flatMap(spellingsOf))].sort((one, other) => other.length - one.length);
  const find = finderOf(known);
  const places = (text: string) => find(decodings(text));
  const text = (given: string) => masked(given, places(given));
  const openAt = openingsOf(known);
  return {
    text,
    finds: (given) => places(typeof given === 'string' ? given : Buffer.from(given).toString()).next().done !== true,
    pieces() {
      let held = '';
      return {
        push(piece) {
          const given = held + piece;
          const decoded = [...decodings(given)];
          const found = inOrder(find(decoded));
          const cut = behindPlaces(openAt(given, decoded), found);
          held = given.slice(cut);
          return masked(
            given.slice(0, cut),
            found.filter(([, end]) => end <= cut),
          );
        },
        end() {
          const rest = text(held);
          held = '';
          return rest;
        },
      };
    },
  };
}

const NOTHING_TO_SCRUB: Scrubber = {
  text: (text) => text,
  finds: () => false,
  pieces: () => ({ push: (piece) => piece, end: () => '' }),
};

const SPECIAL = /[.*+?^${}()|[\]\\/-]/g;

type Place = readonly [start: number, end: number];

/** Finds the places of values in a decoded text; a run that spells the bytes of one is a place as a whole. */
function finderOf(values: readonly string[]): (decoded: Iterable<Decoding>) => Generator<Place> {
  // A form writes a space as a plus.
  const patterns = values.map((one) => one.replace(SPECIAL, '\\$&').replaceAll(' ', '[ +]'));
  const pattern = new RegExp(patterns.join('|'), 'g');
  const spellings = byteSpellings(values);
  const holds = (texts: Iterable<string>, depth: number) => {
    for (const text of texts) if (places(decodings(text), depth + 1).next().done !== true) return true;
    return false;
  };
  function* places(decoded: Iterable<Decoding>, depth = 0): Generator<Place> {
    const looked = new Map<string, boolean>();
    for (const decoding of decoded) {
      const at = ({ 0: found, index }: RegExpExecArray) => decoding.place(index, index + found.length);
      for (const found of decoding.text.matchAll(pattern)) yield at(found);
      if (depth === MAX_BLOBS) continue;
      for (const { name, runs, hint, joined, read } of spellings) {
        if (!hint.test(joined(decoding.text))) continue;
        for (const found of decoding.text.matchAll(runs)) {
          const run = joined(found[0]);
          const asked = `${name} ${run}`;
          const isPlace = looked.get(asked) ?? (hint.test(run) && holds(read(run), depth));
          looked.set(asked, isPlace);
          if (isPlace) yield at(found);
        }
      }
    }
  }
  return places;
}

const inOrder = (places: Iterable<Place>) => [...places].sort(([one], [other]) => one - other);

/** The cut, or the end of the place that it would divide. */
function behindPlaces(cut: number, places: readonly Place[]): number {
  return places.reduce((at, [start, end]) => (start <= at && at < end ? end : at), cut);
}

function masked(text: string, places: Iterable<Place>): string {
  let [shown, done] = ['', 0];
  for (const [start, end] of inOrder(places)) {
    if (start >= done) shown += text.slice(done, start) + SCRUBBED;
    done = Math.max(done, end);
  }
  return shown + text.slice(done);
}
