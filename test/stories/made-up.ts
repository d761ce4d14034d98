import type { TSchema } from '@sinclair/typebox';

const BEGIN = Date.parse('2026-01-02T12:00:00Z');
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const LARGE = 6;
/** Beginnings of long texts, of other scripts, markup and numbers that no double holds: what people really have. */
const WORDS = [
  ...['orders', 'Umsätze je Stadt und Monat seit 2019 ', '<img src=x onerror=alert(1)>'],
  ...['a_rather_long_name_without_any_space_in_it', '900719925474000', 'https://example.org/'],
];

/** The id of the thing with this number. */
export const uuidOf = (seed: number): string => `00000000-0000-4000-8000-${String(seed).padStart(12, '0')}`;

/** A value that fits a schema, always the same one for a seed. */
export function madeUp(schema: TSchema, seed: number): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[seed % schema.enum.length];
  if (schema.anyOf !== undefined) return madeUp(schema.anyOf[(seed + 1) % schema.anyOf.length], seed);
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((one: TSchema) => madeUp(one, seed)));
  if (schema.type === 'string') return madeUpText(schema, seed);
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.min(schema.maximum ?? Number.MAX_SAFE_INTEGER, (schema.minimum ?? 0) + (1 + (seed % 9)) ** LARGE);
  if (schema.type === 'boolean') return seed % 2 === 0;
  if (schema.type === 'array') {
    const length = Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? seed % 3, seed % 3));
    return Array.from({ length }, (_, i) => madeUp(schema.items, seed + i));
  }
  const members = Object.entries<TSchema>(schema.properties ?? {}).map(([name, one]) => [name, madeUp(one, seed)]);
  if (schema.type === 'object') return Object.fromEntries(members);
  return schema.type === 'null' ? null : 'string';
}

function madeUpText(schema: TSchema, seed: number): string {
  const { format, description = '', pattern = '', minLength = 0, maxLength = Infinity } = schema;
  if (format === 'uuid') return uuidOf(seed);
  if (format === 'date-time') return new Date(BEGIN - seed * MINUTE_MS).toISOString();
  const regex = new RegExp(/decimal digits/i.test(description) ? '^[0-9]+$' : pattern);
  const fits = (text: string) => regex.test(text) && text.length >= minLength && text.length <= maxLength;
  const word = [...WORDS.slice(seed % WORDS.length), ...WORDS].map((begin) => `${begin}${seed}`).find(fits);
  const hex = String(seed).padStart(64, '0');
  const day = new Date(BEGIN - seed * DAY_MS).toISOString().slice(0, 10);
  const others = ['identity', uuidOf(seed), hex, day, `sha256:${hex}`, `cred_${letters(seed).padStart(26, 'a')}`];
  return word ?? others.find(fits) ?? letters(seed);
}

/** A number in letters. */
const letters = (seed: number) => [...String(seed)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
