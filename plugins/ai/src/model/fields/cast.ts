import { quoted } from '../sql/names.ts';
import type { Field } from './field.ts';

type Family = 'text' | 'integer' | 'decimal' | 'double' | 'boolean' | 'date' | 'time' | 'other';

/** SQL types that a column may be cast to, by families of type words. */
const FAMILIES: readonly (readonly [Family, RegExp, string])[] = [
  ['integer', /^(tiny|small|big)?int(eger)?$|^long$|^int\d+$/, 'bigint'],
  ['decimal', /^(decimal|numeric)/, 'decimal(38, 9)'],
  ['double', /^(double|float|real|number|double precision)$/, 'double'],
  ['boolean', /^bool(ean)?$/, 'boolean'],
  ['date', /^date$/, 'date'],
  ['time', /^timestamp|^datetime|^date-time$/, 'timestamp'],
  ['text', /^(string|text|varchar|char|uuid|uri|email)/, 'varchar'],
];

/** A cast from the left to the right loses nothing and cannot fail. */
const SAFE: Readonly<Record<Family, readonly Family[]>> = {
  integer: ['decimal', 'text'],
  decimal: ['text'],
  double: ['text'],
  boolean: ['text'],
  date: ['time', 'text'],
  time: ['text'],
  text: [],
  other: [],
};

const familyOf = (type: string | null) => {
  const word = (type ?? '').trim().toLowerCase();
  return FAMILIES.find(([, form]) => form.test(word));
};

/** The SQL type that values of a field have; undefined where that is not known. */
export const sqlTypeOf = (type: string | null): string | undefined => familyOf(type)?.[2];

/** How the value of a target field is made of a column; the platform alone writes such expressions. */
export function fieldTransform(source: Pick<Field, 'name' | 'type'>, target: Pick<Field, 'name' | 'type'>) {
  const [from, to] = [familyOf(source.type), familyOf(target.type)];
  const column = quoted(source.name);
  if (from === undefined || to === undefined || from[0] === to[0]) {
    const kind = source.name === target.name ? ('same' as const) : ('rename' as const);
    return { kind, expression: column, lossless: true };
  }
  const expression = `cast(${column} as ${to[2]})`;
  return { kind: 'cast' as const, expression, lossless: SAFE[from[0]].includes(to[0]) };
}
