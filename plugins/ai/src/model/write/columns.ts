import { matchColumns } from '@weir/matcher';
import type { Field } from '../fields/field.ts';

/** How far a phrase may be from the name of a column that it means. */
const MEANT = 0.75;
const TIME = /^(date|timestamp|datetime|date-time)/i;

const joined = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
const singular = (text: string): string => text.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');

/** The column that a phrase means; undefined where it means none, or where it could mean several. */
export function columnMeant<C extends Pick<Field, 'name' | 'type'>>(
  phrase: string,
  columns: readonly C[],
): C | undefined {
  const asked = joined(phrase);
  if (asked === '') return undefined;
  const exact = columns.filter(({ name }) => joined(name) === asked);
  if (exact.length > 0) return exact[0];
  const plural = columns.filter(({ name }) => singular(joined(name)) === singular(asked));
  if (plural.length === 1) return plural[0];
  const [found] = matchColumns(
    [{ name: phrase }],
    columns.map(({ name }) => ({ name })),
    { topK: 2 },
  );
  const [best, next] = found?.alternatives ?? [];
  if (best === undefined || best.reasons.name < MEANT || next?.reasons.name === best.reasons.name) return undefined;
  return columns[best.index];
}

/** Columns that hold a day or a moment. */
export const timeColumns = <C extends Pick<Field, 'type'>>(columns: readonly C[]): C[] =>
  columns.filter(({ type }) => TIME.test(type ?? ''));
