import { createHash } from 'node:crypto';
import { ident, type SqlText, UnfitValue } from './sql-text.ts';

const STEM = /^[a-z]{1,20}$/;
const FRESH = /^__[a-z]{1,20}_[0-9a-f]{6}(?:_[0-9]+)?$/;

/** Whether `fresh` may have made a name. */
export const isFresh = (name: string): boolean => FRESH.test(name);

/** A name for the template's own use: the same in every statement, unless one of these values is that name. */
export function fresh(stem: unknown, values: unknown): SqlText {
  if (typeof stem !== 'string' || !STEM.test(stem)) throw new UnfitValue('expected a word of 1 to 20 small letters');
  // No value says which columns an input has: six digits keep them from having the name by chance.
  const name = `__${stem}_${createHash('sha256').update(stem).digest('hex').slice(0, 6)}`;
  const taken = new Set(textsIn(values));
  for (let at = 1; ; at += 1) {
    const free = at === 1 ? name : `${name}_${at}`;
    if (!taken.has(free)) return ident(free);
  }
}

/** Every text in values, in small letters as DuckDB compares names. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value.toLowerCase();
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one);
  else if (typeof value === 'object' && value !== null) yield* textsIn(Object.values(value));
}
