import type { ValueFacts } from './value-facts.ts';
import { formOf } from './value-forms.ts';

/** A name that is a year heads a column more often than it is a value. */
const YEAR = /^[12][0-9]{3}$/;

/** Whether the names of columns look like a row: each that heads values of a type is such a value itself. */
export function looksLikeData(columns: ReadonlyMap<string, ValueFacts>): boolean {
  const typed = [...columns].filter(([, { kind }]) => kind !== 'text' && kind !== 'none');
  const isValue = (name: string, { kind }: ValueFacts) => {
    const form = formOf(name)?.kind;
    return (form === 'whole' ? 'number' : form) === kind;
  };
  return typed.some(([name]) => !YEAR.test(name)) && typed.every(([name, facts]) => isValue(name, facts));
}
