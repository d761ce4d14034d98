import { type Decoding, decodings } from './decode-text.ts';
import { openingsOf } from './open-values.ts';

/** What stands in the place of a credential. */
export const SCRUBBED = '[secret]';
/** Shorter values are words that texts have anyway; masking them would hide nothing and spoil everything. */
export const MIN_SCRUBBED_CHARS = 4;
/** Lines of a longer credential, such as of a private key, are masked one by one from this length on. */
const MIN_LINE_CHARS = 12;
/** Bound on the values that one scrubber masks; a credential has few. */
const MAX_VALUES = 10_000;
/** Bound on nested base64 and hexadecimal. */
const MAX_BLOBS = 2;
/** Base64 may begin at each of these places of a run of its characters. */
const BASE64_SHIFTS = [0, 1, 2, 3];

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
 * A scrubber of credential values. It decodes the text as JSON, URL, HTML, base64 and hexadecimal, nested within bounds, and
 * looks for the values themselves. Values of fewer than `minChars` characters are left.
 */
export function createScrubber(values: Iterable<string>, minChars: number = MIN_SCRUBBED_CHARS): Scrubber {
  const known = [...new Set([...values].flatMap(partsOf).filter((part) => part.length >= minChars))]
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_VALUES);
  if (known.length === 0) return NOTHING_TO_SCRUB;
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

/** Finds the places of values in a decoded text; a run of base64 or hexadecimal that holds one is a place as a whole. */
function finderOf(values: readonly string[]): (decoded: Iterable<Decoding>) => Generator<Place> {
  // A form writes a space as a plus.
  const patterns = values.map((one) => one.replace(SPECIAL, '\\$&').replaceAll(' ', '[ +]'));
  const pattern = new RegExp(patterns.join('|'), 'g');
  const blobs = blobsOf(values);
  const holds = (blob: string, encoding: BufferEncoding, depth: number) =>
    BASE64_SHIFTS.some(
      (shift) => places(decodings(Buffer.from(blob.slice(shift), encoding).toString()), depth + 1).next().done !== true,
    );
  function* places(decoded: Iterable<Decoding>, depth = 0): Generator<Place> {
    const looked = new Map<string, boolean>();
    for (const decoding of decoded) {
      const at = ({ 0: found, index }: RegExpExecArray) => decoding.place(index, index + found.length);
      for (const found of decoding.text.matchAll(pattern)) yield at(found);
      if (depth === MAX_BLOBS) continue;
      for (const { runs, hint, encoding } of blobs) {
        if (!hint.test(decoding.text)) continue;
        for (const run of decoding.text.matchAll(runs)) {
          const blob = `${encoding} ${run[0]}`;
          const isPlace = looked.get(blob) ?? (hint.test(run[0]) && holds(run[0], encoding, depth));
          looked.set(blob, isPlace);
          if (isPlace) yield at(run);
        }
      }
    }
  }
  return places;
}

/** How to find values in base64 or hexadecimal: the runs to decode. */
interface Blobs {
  encoding: BufferEncoding;
  /** Runs that are long enough for the shortest value. */
  runs: RegExp;
  /** What a run that is worth decoding holds. */
  hint: RegExp;
}

/** Parts that no text escapes; the longest of a value shows cheaply whether a run may hold that value. */
const UNESCAPED = /[A-Za-z0-9]{3,}/g;

function blobsOf(values: readonly string[]): Blobs[] {
  const bytes = Math.min(...values.map((one) => Buffer.byteLength(one)));
  const anchors = values.map((one) => (one.match(UNESCAPED) ?? ['']).reduce((a, b) => (b.length > a.length ? b : a)));
  const hintOf = (spell: (anchor: string) => string[], flags?: string) =>
    new RegExp([...new Set(anchors.flatMap(spell))].map((one) => one.replace(SPECIAL, '\\$&')).join('|'), flags);
  const hexOf = (anchor: string) => [Buffer.from(anchor).toString('hex')];
  const encoded = (anchor: string) => [...base64Of(anchor), ...hexOf(anchor)];
  return [
    {
      encoding: 'base64',
      runs: new RegExp(`[A-Za-z0-9+/_-]{${Math.ceil((bytes * 4) / 3)},}`, 'g'),
      hint: hintOf((anchor) => base64Of(anchor).flatMap((one) => [one, ...encoded(one)])),
    },
    {
      encoding: 'hex',
      runs: new RegExp(`[0-9A-Fa-f]{${bytes * 2},}`, 'g'),
      hint: hintOf((anchor) => hexOf(anchor), 'i'),
    },
  ];
}

/** The base64 of a text wherever it begins in a longer one: without the characters that its neighbours change. */
function base64Of(text: string): string[] {
  const raw = Buffer.from(text);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), raw])
      .toString('base64')
      .replace(/=+$/, '');
    const from = shift === 0 ? 0 : shift + 1;
    const to = (shift + raw.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const own = encoded.slice(from, to);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
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

/** A value, its lines, and the texts in it when it is JSON: a connector shows what it has read of it. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n|\\n/).filter((line) => line !== value && line.length >= MIN_LINE_CHARS);
  return [
    value,
    value.trim(),
    ...lines,
    ...textsOf(value)
      .filter((text) => text.length >= MIN_LINE_CHARS)
      .flatMap(partsOf),
  ];
}

function textsOf(value: string): string[] {
  if (!/^\s*[[{]/.test(value)) return [];
  try {
    return leaves(JSON.parse(value));
  } catch {
    return [];
  }
}

/** All texts and numbers of a JSON value, as text. */
export function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'bigint') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}
