/** Tenants of the ontology by the aliases of ours. */
export type Bindings = ReadonlyMap<string, string>;

const MAX_BINDINGS = 4_096;
const STRINGS = /"(?:[^"\\]|\\.)*"/g;

/** What is wrong with the text of the bindings, as the end of a sentence about the setting; holds no value. */
export class BindingsFault extends Error {}

/** Texts that a careless reader would take for each other. */
const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');

/**
 * Reads the JSON object of bindings. An alias is exact: nothing is trimmed, folded or matched by a pattern, and what
 * could be meant in two ways is refused. Throws a `BindingsFault`.
 */
export function readBindings(text: string): Bindings {
  const pairs = pairsOf(text);
  if (pairs.length > MAX_BINDINGS) throw new BindingsFault(`has more than ${MAX_BINDINGS} entries`);
  const seen = new Set<string>();
  for (const [alias, ontologyTenant] of pairs) {
    for (const part of [alias, ontologyTenant]) {
      if (part.trim() === '') throw new BindingsFault('has an empty key or value');
      if (part !== part.trim()) throw new BindingsFault('has a key or value with space around it');
      if (/[*?]/.test(part)) throw new BindingsFault('has a key or value with * or ?; patterns are not read');
      if (!part.isWellFormed() || /\p{Cc}|\p{Cf}/u.test(part))
        throw new BindingsFault('has a key or value with characters that cannot be seen');
    }
    if (seen.has(folded(alias))) throw new BindingsFault('has two keys that differ in case or form only');
    seen.add(folded(alias));
  }
  return new Map(pairs);
}

/** The members as the text has them: `JSON.parse` hides a key that is given twice. */
function pairsOf(text: string): [alias: string, ontologyTenant: string][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new BindingsFault('is not well-formed JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new BindingsFault('must be a JSON object');
  if (Object.values(parsed).some((value) => typeof value !== 'string'))
    throw new BindingsFault('must have text as every value');
  const members = Object.entries(parsed);
  if ((text.match(STRINGS) ?? []).length !== 2 * members.length) throw new BindingsFault('has a key twice');
  return members;
}
