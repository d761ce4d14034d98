import type { Canary } from './canary.ts';
import type { Digests } from './digests.ts';
import { FORMS, type Form, RAW } from './forms.ts';

/** One canary in one form. */
export interface Needle {
  readonly canary: Canary;
  readonly form: string;
  readonly bytes: Buffer;
  /** So many bytes from its beginning or its end are a part of it that is worth telling of. */
  readonly part: number;
}

/** Bytes by which needles are looked for, with the needles that begin, or end, with them. */
export interface Anchor {
  readonly bytes: Buffer;
  readonly needles: readonly Needle[];
}

/** What a search looks for; canaries share their first and last characters, so there are few anchors. */
export interface Needles {
  readonly heads: readonly Anchor[];
  readonly tails: readonly Anchor[];
  /** Bytes of the longest needle. */
  readonly longest: number;
  /** Digests that are looked for beside them. */
  readonly digests?: Digests;
}

/** Characters by which needles are looked for, at either end. */
const ANCHOR_CHARACTERS = 5;
const TAIL_CHARACTERS = 4;
/** A part that is shorter than this is not told of: chance, or the words that all canaries begin with, may make it. */
export const PART_CHARACTERS = 14;

/** One canary in every form in which it may be looked for, each once. */
export function formsOf(canary: Canary, forms: readonly Form[] = FORMS): Needle[] {
  const seen = new Set<string>();
  return forms.flatMap((form): Needle[] => {
    if (canary.onlyRaw && form.name !== RAW) return [];
    const bytes = form.encode(canary.text);
    const key = bytes.toString('latin1');
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ canary, form: form.name, bytes, part: Math.min(form.bytesOf(PART_CHARACTERS), bytes.length) }];
  });
}

/** Prepares a search for needles, which `formsOf` made of canaries. */
export function needlesOf(needles: readonly Needle[], forms: readonly Form[] = FORMS): Needles {
  const width = new Map(forms.map((form) => [form.name, form]));
  const anchorsOf = (characters: number, cut: (bytes: Buffer, length: number) => Buffer): Anchor[] => {
    const found = new Map<string, { bytes: Buffer; needles: Needle[] }>();
    for (const needle of needles) {
      const bytes = cut(needle.bytes, width.get(needle.form)?.bytesOf(characters) ?? characters);
      const key = bytes.toString('latin1');
      const anchor = found.get(key) ?? { bytes, needles: [] };
      anchor.needles.push(needle);
      found.set(key, anchor);
    }
    return [...found.values()];
  };
  return {
    heads: anchorsOf(ANCHOR_CHARACTERS, (bytes, length) => bytes.subarray(0, length)),
    tails: anchorsOf(TAIL_CHARACTERS, (bytes, length) => bytes.subarray(-length)),
    longest: Math.max(1, ...needles.map(({ bytes }) => bytes.length)),
  };
}
