import type { CatalogStream } from '@weir/connector-sdk';
import type { AttemptScrubbers } from '../../model/scrub/attempt-scrubbers.ts';

/**
 * A catalog without the credentials of its connector. Descriptions and the like are masked; undefined when one stands in what
 * must be right to the letter, such as the name of a stream or of a column. Pure.
 */
export function scrubCatalog(
  streams: readonly CatalogStream[],
  { text, sure }: AttemptScrubbers,
): readonly CatalogStream[] | undefined {
  const masked = streams.map((stream) => mask(stream, text.text) as CatalogStream);
  return sure.finds(JSON.stringify(masked)) ? undefined : masked;
}

/** Members whose texts are for people, in JSON Schema and in catalogs. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'default', 'examples']);

function mask(value: unknown, scrub: (text: string) => string, isForPeople = false): unknown {
  if (typeof value === 'string') return isForPeople ? scrub(value) : value;
  if (Array.isArray(value)) return value.map((item) => mask(item, scrub, isForPeople));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mask(one, scrub, isForPeople || FOR_PEOPLE.has(key))]),
  );
}
