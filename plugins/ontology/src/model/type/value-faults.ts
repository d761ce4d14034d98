import { linearPattern } from '@weir/json-schemas';
import type { PropertyDocument, VersionDocumentView } from '../../contract/documents.ts';
import { compareBounds } from './bounds.ts';

/** What a value breaks of what its property allows. */
export const VALUE_FAULTS = ['not_in_enum', 'below_min', 'above_max', 'pattern_missed', 'too_long'] as const;
export type ValueFault = (typeof VALUE_FAULTS)[number];

/** The faults of the values of an entity, each with its property, in the order of the properties. */
export type ValueFaults = (values: Readonly<Record<string, unknown>>) => { code: ValueFault; of: string }[];

type Check = readonly [code: ValueFault, isBroken: (text: string) => boolean];

/** Judges values, as they travel, by the enums and constraints of a version of a type. */
export function valueFaults({ properties }: Pick<VersionDocumentView, 'properties'>): ValueFaults {
  const checked = properties.flatMap((property) => {
    const checks = checksOf(property);
    return checks.length === 0 ? [] : [{ of: property.code, checks }];
  });
  return (values) =>
    checked.flatMap(({ of, checks }) => {
      const value = values[of];
      if (value === null || value === undefined) return [];
      return checks.filter(([, isBroken]) => isBroken(String(value))).map(([code]) => ({ code, of }));
    });
}

function checksOf({ value_type, enum: allowed, constraints }: PropertyDocument): Check[] {
  const { min, max, pattern, max_length } = constraints;
  const isTime = value_type === 'timestamp' || value_type === 'timestamptz';
  const plain = (value: string | number) => (isTime ? plainTime(String(value)) : String(value));
  const checks: Check[] = [];
  if (allowed !== null) {
    const known = new Set(allowed.map((one) => (value_type === 'uuid' ? String(one).toLowerCase() : String(one))));
    checks.push(['not_in_enum', (text) => !known.has(text)]);
  }
  if (min !== undefined) checks.push(['below_min', (text) => compareBounds(plain(text), plain(min)) < 0]);
  if (max !== undefined) checks.push(['above_max', (text) => compareBounds(plain(text), plain(max)) > 0]);
  const matches = pattern === undefined ? undefined : linearPattern(pattern);
  if (matches !== undefined) checks.push(['pattern_missed', (text) => !matches(text)]);
  // Characters as JSON Schema counts them.
  if (max_length !== undefined)
    checks.push(['too_long', (text) => text.length > max_length && [...text].length > max_length]);
  return checks;
}

/** A time whose order is that of its text: without its zone, and without zeros at the end of its fraction. */
const plainTime = (text: string): string =>
  text
    .replace(/Z$/, '')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
