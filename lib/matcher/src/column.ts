import { familyOf } from './family.ts';
import { type Family, type Profile, profileOf } from './profile.ts';
import { wordsOf } from './words/words.ts';

/** A column as the matcher takes it: a name, and what is known of its type and its values. */
export interface MatchColumn {
  name: string;
  /** A type word of SQL, Iceberg or JSON Schema; another word counts as unknown. */
  type?: string;
  /** Sample values or the values of an enumeration; the first 200 count. */
  values?: readonly unknown[];
}

/** A column with what is worked out once for all of its pairs. */
export interface ReadColumn {
  name: string;
  words: string[];
  /** The words without gaps, for comparing letters. */
  joined: string;
  family: Family;
  profile: Profile;
}

const MOST_NAME = 200;

/** Reads names of up to 200 characters; what is longer is cut. */
export function readColumns(columns: readonly MatchColumn[], known: ReadonlySet<string>): ReadColumn[] {
  return columns.map(({ name, type, values }) => {
    const words = wordsOf(name.slice(0, MOST_NAME), known);
    const profile = profileOf(values ?? []);
    return { name, words, joined: words.join(''), family: familyOf(type, words, profile), profile };
  });
}
