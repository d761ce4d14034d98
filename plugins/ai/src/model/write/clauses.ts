import type { Field } from '../fields/field.ts';
import { columnMeant, timeColumns } from './columns.ts';

type Column = Pick<Field, 'name' | 'type'>;

export const BUCKETS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export const FUNCTIONS = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max'] as const;

export interface Group {
  column: string;
  bucket?: (typeof BUCKETS)[number];
}
export interface Aggregate {
  fn: (typeof FUNCTIONS)[number];
  /** Undefined counts rows. */
  column?: string;
}
export interface Filter {
  column: string;
  op: string;
  /** Undefined with `is null` and `is not null`. */
  value?: string | number | boolean;
}

/** What a description asks for, all of its words understood. */
export interface Clauses {
  groups: Group[];
  aggregates: Aggregate[];
  filters: Filter[];
  columns: string[];
  /** One row of each key: the newest by a column. */
  newest?: { key: string[]; by: string };
  distinct: boolean;
  combine?: 'join' | 'union';
}

/** Words that say how and not what. */
const FILLER = new Set(
  `a an the of in from for to with and or all rows row records record each every per by table dataset data input result
results output please make create build give show list me we want need i get find compute calculate them it its which that
where values value entries keep only new as on into one both tables together using select their there columns column`.split(
    /\s+/,
  ),
);
/** A word that may be part of the name of a column. */
const WORD = String.raw`(?:"[^"]+"|(?!(?:and|or|by|per|of|for|where|with|only)\b)[\p{L}\p{N}_]+)`;
const PHRASE = String.raw`(${WORD}(?:\s+${WORD}){0,3}?)`;
const OPS: readonly (readonly [string, string])[] = [
  [String.raw`(?:is|are)\s+not\s+(?:null|empty|missing)`, 'is not null'],
  [String.raw`(?:is|are)\s+(?:null|empty|missing)`, 'is null'],
  [String.raw`(?:is|are)\s+not|!=|<>|not\s+equals?`, '<>'],
  [String.raw`>=|(?:is\s+)?at\s+least|since`, '>='],
  [String.raw`<=|(?:is\s+)?at\s+most|until`, '<='],
  [String.raw`>|(?:is\s+)?(?:above|over|more\s+than|greater\s+than|after)`, '>'],
  [String.raw`<|(?:is\s+)?(?:below|under|less\s+than|before)`, '<'],
  ['==?|equals?|is|are', '='],
];
const VALUE = String.raw`('[^']*'|"[^"]*"|[\p{L}\p{N}_.:+-]+)`;
const AGGREGATES: readonly (readonly [RegExp, (typeof FUNCTIONS)[number]])[] = [
  [
    /\b(?:count(?:\s+of)?\s+(?:distinct|different|unique)|(?:number\s+of\s+)?(?:distinct|different|unique)\s+count(?:\s+of)?|number\s+of\s+(?:distinct|different|unique))\s+/giu,
    'count_distinct',
  ],
  [/\b(?:sum(?:\s+of)?|total\s+of|add\s+up)\s+/giu, 'sum'],
  [/\b(?:average(?:\s+of)?|avg(?:\s+of)?|mean(?:\s+of)?)\s+/giu, 'avg'],
  [/\b(?:minimum|min|smallest|lowest)\s+(?:of\s+)?/giu, 'min'],
  [/\b(?:maximum|max|largest|highest|biggest)\s+(?:of\s+)?/giu, 'max'],
];
const END = String.raw`(?=\s*(?:,|\.|;|$|\b(?:and|by|per|for|where|with|from|of|in|only|as|grouped)\b))`;

/** The clauses of a description; undefined where a word of it is not understood. */
export function clausesOf(
  description: string,
  columns: readonly Column[],
  nouns: readonly string[],
): Clauses | undefined {
  const found: Clauses = { groups: [], aggregates: [], filters: [], columns: [], distinct: false };
  let rest = ` ${description.replaceAll(/\s+/g, ' ').trim()} `;
  const take = (form: RegExp, use: (...parts: string[]) => boolean | undefined): void => {
    rest = rest.replace(form, (whole, ...parts: string[]) => (use(...parts) ? ' ; ' : whole));
  };
  const meant = (phrase: string | undefined) => columnMeant((phrase ?? '').replaceAll('"', ''), columns)?.name;

  for (const [form, op] of OPS) {
    const filter = new RegExp(
      String.raw`(?:\b(?:where|with|whose|having|only|and|when|if)\s+)${PHRASE}\s*(?:${form})${op.includes('null') ? '' : String.raw`\s*${VALUE}`}(?=[\s,;.]|$)`,
      'giu',
    );
    take(filter, (phrase, value) => {
      const column = meant(phrase);
      if (column === undefined) return false;
      found.filters.push({ column, op, ...(!op.includes('null') && { value: givenValue(value ?? '') }) });
      return true;
    });
  }
  const newest = new RegExp(
    String.raw`\b(?:latest|newest|most recent|last|deduplicated?|dedupe)\b(?:\s+(?!per\b|by\b|for\b|of\b|each\b|on\b)[\p{L}_]+)?(?:\s+(?:of|per|by|for|for each|each|on))+\s+${PHRASE}(?:\s+(?:by|with|using|ordered by|keep(?:ing)?)\s+(?:the\s+)?(?:latest|newest)?\s*${PHRASE})?${END}`,
    'iu',
  );
  take(newest, (key, by) => {
    const column = meant(key);
    const times = timeColumns(columns);
    const order = meant(by) ?? (by === undefined && times.length === 1 ? times[0]?.name : undefined);
    if (column === undefined || order === undefined) return false;
    found.newest = { key: [column], by: order };
    return true;
  });
  takeGroups(found, take, { meant, columns });
  for (const [form, fn] of AGGREGATES) {
    take(new RegExp(`${form.source}(?:the\\s+)?${PHRASE}${END}`, 'giu'), (phrase) => {
      const column = meant(phrase);
      if (column !== undefined) found.aggregates.push({ fn, column });
      return column !== undefined;
    });
  }
  take(/\b(?:count(?:\s+of)?|number\s+of|how\s+many)\b/giu, () => {
    found.aggregates.push({ fn: 'count' });
    return true;
  });
  rest = rest.replace(/\b(?:distinct|unique)\b/iu, () => {
    found.distinct = true;
    return 'columns';
  });
  take(/\b(?:join(?:ed)?|combined?|enriche?d?|merged?)\b/iu, () => {
    found.combine = 'join';
    return true;
  });
  take(/\b(?:union|append(?:ed)?|stack(?:ed)?)\b/iu, () => {
    found.combine = 'union';
    return true;
  });
  takeColumns(found, take, meant);
  return isUnderstood(rest, nouns) ? found : undefined;
}

type Take = (form: RegExp, use: (...parts: string[]) => boolean | undefined) => void;
type Meant = (phrase: string | undefined) => string | undefined;

function takeGroups(
  found: Clauses,
  take: Take,
  { meant, columns }: { meant: Meant; columns: readonly Column[] },
): void {
  const bucket = new RegExp(
    String.raw`\b(?:by|per|for each|for every|each|and|,)\s+(${BUCKETS.join('|')})(?:\s+of\s+${PHRASE})?${END}`,
    'giu',
  );
  take(bucket, (word, of) => {
    const named = meant(word);
    const times = timeColumns(columns);
    if (named !== undefined && of === undefined) return found.groups.push({ column: named }) > 0;
    const column = of === undefined ? (times.length === 1 ? times[0]?.name : undefined) : meant(of);
    if (column === undefined) return false;
    return found.groups.push({ column, bucket: word?.toLowerCase() as (typeof BUCKETS)[number] }) > 0;
  });
  const group = new RegExp(
    String.raw`\b(?:grouped\s+by|by|per|for each|for every)\s+(?:the\s+)?${PHRASE}${END}`,
    'giu',
  );
  const add = (phrase: string | undefined) => {
    const column = meant(phrase);
    if (column !== undefined) found.groups.push({ column });
    return column !== undefined;
  };
  take(group, add);
  // Further ones of the list.
  if (found.groups.length > 0)
    take(new RegExp(String.raw`;\s*(?:,|and)\s+${PHRASE}(?=\s*(?:,|\.|;|$|\band\b))`, 'giu'), add);
}

function takeColumns(found: Clauses, take: Take, meant: Meant): void {
  const list = new RegExp(
    String.raw`\b(?:(?:select|keep|only|with)\s+)?(?:the\s+)?(?:columns?|fields?|select|keep|only)\s+(${WORD}(?:\s*(?:,|\band\b)\s*${WORD})*)(?=\s*(?:\.|;|$|\b(?:from|of|where|in)\b))`,
    'iu',
  );
  take(list, (names) => {
    const asked = (names ?? '').split(/\s*(?:,|\band\b)\s*/iu).filter((name) => name !== '');
    const columns = asked.map(meant);
    if (columns.some((column) => column === undefined)) return false;
    found.columns.push(...columns.filter((column) => column !== undefined));
    return true;
  });
}

/** Whether nothing is left but words that name the inputs and words without a meaning of their own. */
function isUnderstood(rest: string, nouns: readonly string[]): boolean {
  const named = new Set(nouns.flatMap((noun) => noun.toLowerCase().split(/[._]+/)));
  const words = rest.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const isNamed = (word: string) => named.has(word) || named.has(`${word}s`) || named.has(word.replace(/s$/, ''));
  return words.every((word) => FILLER.has(word) || word.split('_').every(isNamed));
}

function givenValue(text: string): string | number | boolean {
  if (/^['"]/.test(text)) return text.slice(1, -1);
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
