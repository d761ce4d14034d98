import type { SuggestionsView } from '../../contract/backing/suggestions.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';
import { type Converts, castSql, type FoundMapping, fitOf, type SampledColumn } from './suggest.ts';

/** What a suggestion looks at in the sampled rows: its key, and its casts; columns by their places. */
export interface RowChecks {
  keyAt: readonly number[];
  casts: readonly { at: number; to: string }[];
}

/** What is to be looked at for these pairs; at most so many columns, those of the key first. */
export function rowChecks(
  type: VersionDocumentView,
  columns: readonly SampledColumn[],
  { found, topK, most }: { found: readonly FoundMapping[]; topK: number; most: number },
): RowChecks {
  const parts = type.primary_key.map((code) => found.find(({ property }) => property.code === code)?.chosen.column);
  const keyAt = parts.includes(undefined) ? [] : parts.flatMap((at) => (at === undefined ? [] : [at]));
  const wanted = found.flatMap(({ property, chosen, others }) =>
    [chosen, ...others.slice(0, topK)].flatMap(({ column: at }) => {
      const fit = fitOf(columns[at] as SampledColumn, property, type.primary_key.includes(property.code));
      return typeof fit === 'object' ? [{ at, to: fit.to }] : [];
    }),
  );
  const used = new Set(placesOf({ keyAt, casts: wanted }).slice(0, most));
  return { keyAt, casts: wanted.filter(({ at }) => used.has(at)) };
}

/** The columns that checks look at. */
export const placesOf = ({ keyAt, casts }: RowChecks): number[] => [
  ...new Set([...keyAt, ...casts.map(({ at }) => at)]),
];

const castKey = ({ at, to }: RowChecks['casts'][number]): string => `${at} ${to}`;

/** Whether what was looked at answers what is wanted. */
export function covers(seen: RowChecks, wanted: RowChecks): boolean {
  const casts = new Set(seen.casts.map(castKey));
  return seen.keyAt.join() === wanted.keyAt.join() && wanted.casts.every((cast) => casts.has(castKey(cast)));
}

/** One row of counts over the table `sample`. */
export function checksSql({ keyAt, casts }: RowChecks, named: (at: number) => string): string {
  const lost = casts.map(({ at, to }) => {
    const cast = castSql(named(at), to, { loose: true });
    return `count(*) FILTER (${named(at)} IS NOT NULL AND ${cast} IS NULL)`;
  });
  const whole = keyAt.map((at) => `${named(at)} IS NOT NULL`).join(' AND ') || 'true';
  const distinct = keyAt.length === 0 ? '0' : `count(DISTINCT row(${keyAt.map(named).join(', ')})) FILTER (${whole})`;
  return `SELECT ${['count(*)', `count(*) FILTER (${whole})`, distinct, ...lost].join(', ')} FROM sample`;
}

/** What the counts say. */
export function checkedOnRows(
  { keyAt, casts }: RowChecks,
  columns: readonly SampledColumn[],
  counts: readonly (readonly unknown[])[],
): { key: SuggestionsView['key']; converts: Converts } {
  const [rows = 0, keyed = 0, keys = 0, ...losses] = counts.map(([value]) => Number(value));
  const nameAt = (at: number) => columns[at]?.name ?? '';
  const converting = new Set(
    casts.filter((_, place) => losses[place] === 0).map(({ at, to }) => `${nameAt(at)}\n${to}`),
  );
  const key = { columns: keyAt.map(nameAt), unique: null, nulls: null };
  return {
    key: keyAt.length > 0 && rows > 0 ? { ...key, unique: keys === keyed, nulls: rows - keyed } : key,
    converts: (column, to) => converting.has(`${column}\n${to}`),
  };
}
