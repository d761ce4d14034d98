import MiniSearch from 'minisearch';

/** What is searched: a name, a title and further words. */
export interface Searchable {
  id: string;
  title: string;
  words: string;
}

export interface Hit {
  id: string;
  score: number;
  highlights: { field: string; text: string }[];
}

interface FindOptions {
  limit: number;
  fields?: readonly string[];
  /** Whether a thing may be a hit; only those that are shown are read for highlights. */
  isAsked?: (id: string) => boolean;
}

const FIELDS = ['id', 'title', 'words'];
/** The name and the title say more than a member somewhere inside. */
const BOOST = { id: 3, title: 4, words: 1 };
const FUZZY = 0.25;
const SHOWN = 160;
const CHUNK = 20;
const PLACES = 1_000;

/**
 * An index over things that lie in memory; words are found with typos and by their beginning. It is made in parts, between
 * which other calls are served.
 */
export async function searchIndex(items: readonly Searchable[]) {
  const index = new MiniSearch<Searchable>({
    fields: FIELDS,
    tokenize: wordsIn,
    processTerm: (term) => term.toLowerCase(),
  });
  await index.addAllAsync(items, { chunkSize: CHUNK });
  const byId = new Map(items.map((item) => [item.id, item]));
  return {
    find(q: string, { limit, fields = FIELDS, isAsked }: FindOptions): Hit[] {
      const filter = ({ id }: { id: unknown }) => isAsked?.(String(id)) ?? true;
      const options = { fields: [...fields], boost: BOOST, prefix: true, combineWith: 'OR' as const, filter };
      const fuzzy = (term: string) => (term.length > 3 ? FUZZY : false);
      return index
        .search(q, { ...options, fuzzy })
        .slice(0, limit)
        .map(({ id, score, match }) => {
          const item = byId.get(String(id));
          const found = Object.entries(match).flatMap(([term, where]) => where.map((field) => ({ term, field })));
          const shown = new Map(found.map(({ term, field }) => [field, textAt(item, field, term)]));
          return {
            id: String(id),
            score: Math.round(score * PLACES) / PLACES,
            highlights: [...shown].map(([field, text]) => ({ field, text })),
          };
        });
    },
  };
}

/** Words, those inside of `camelCase` and `snake_case` too, and the whole. */
function wordsIn(text: string): string[] {
  const wholes = text.split(/[^\p{L}\p{N}_-]+/u).filter((word) => word !== '');
  const parts = (word: string) =>
    word
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .split(/[\s_-]+/)
      .filter((part) => part !== '');
  return wholes.flatMap((word) => {
    const inner = parts(word);
    return inner.length > 1 ? [word, ...inner] : inner;
  });
}

function textAt(item: Searchable | undefined, field: string, term: string): string {
  const text = item?.[field as keyof Searchable] ?? '';
  const at = Math.max(0, text.toLowerCase().indexOf(term) - SHOWN / 2);
  return text.slice(at, at + SHOWN);
}
