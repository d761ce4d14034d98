import { plain, splitName, stem } from './split.ts';
import { EXPANSIONS } from './thesaurus.ts';

const LEAST_PART = 3;
const LINKS = ['', 's', 'es', 'n', 'en', 'e'];
const MOST_COMPOUND = 40;

/** The words of a name: abbreviations written out, compounds of known words taken apart. */
export function wordsOf(name: string, known: ReadonlySet<string>): string[] {
  const parts = splitName(name).flatMap((part) => EXPANSIONS.get(part) ?? partsOf(part, known) ?? [part]);
  return parts.flatMap((part) => EXPANSIONS.get(part) ?? [part]).map(stem);
}

/** The words that the names of some columns are made of, as parts of compounds. */
export function knownWords(names: readonly string[]): Set<string> {
  return new Set(names.flatMap((name) => splitName(plainCase(name)).filter((word) => word.length >= LEAST_PART)));
}

/** Names in capitals only have no humps to be split at. */
function plainCase(name: string): string {
  return name === name.toUpperCase() ? plain(name) : name;
}

/** The fewest known words that a word consists of, with letters that link them in German; at least two. */
function partsOf(word: string, known: ReadonlySet<string>): string[] | undefined {
  if (word.length < 2 * LEAST_PART || word.length > MOST_COMPOUND || known.has(word)) return undefined;
  const best: (string[] | undefined)[] = [[]];
  for (let end = LEAST_PART; end <= word.length; end += 1) {
    for (let begin = 0; begin <= end - LEAST_PART; begin += 1) {
      const before = best[begin];
      const part = before && linkedPart(word.slice(begin, end), known);
      if (!part || (best[end]?.length ?? Number.POSITIVE_INFINITY) <= before.length + 1) continue;
      best[end] = [...before, part];
    }
  }
  const found = best[word.length];
  return found && found.length > 1 ? found : undefined;
}

function linkedPart(text: string, known: ReadonlySet<string>): string | undefined {
  const link = LINKS.find(
    (one) =>
      text.endsWith(one) &&
      text.length - one.length >= LEAST_PART &&
      known.has(text.slice(0, text.length - one.length)),
  );
  return link === undefined ? undefined : text.slice(0, text.length - link.length);
}
