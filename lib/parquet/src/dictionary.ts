import { packedRunHead } from './levels.ts';

/** How many values a dictionary has at most: a place in it is a byte. */
export const MAX_DICTIONARY_VALUES = 256;
const PLACE_BITS = 8;
/** A bit-packed run has so many places, or a multiple. */
const RUN = 8;

/** Values that are in many rows, each once. */
export type Dictionary = {
  readonly count: number;
  /** In the plain encoding. */
  readonly values: Buffer;
};

/**
 * Places in a dictionary, a byte each, as a page has them: the bits of a place, then one bit-packed run
 * (https://parquet.apache.org/docs/file-format/data-pages/encodings/#dictionary-encoding-plain_dictionary--2-and-rle_dictionary--8).
 */
export function placesPage(places: Buffer): Buffer {
  const head = Buffer.concat([Buffer.from([PLACE_BITS]), packedRunHead(eights(places.length))]);
  return Buffer.concat([head, places], placesPageBytes(places.length));
}

/** How many bytes `placesPage` has for so many places. */
export const placesPageBytes = (count: number): number => 1 + packedRunHead(eights(count)).length + eights(count) * RUN;

const eights = (count: number): number => Math.ceil(count / RUN);
