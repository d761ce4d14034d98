import type { ValueType } from './draft.ts';

/** Types of values for people, the usual ones first. */
export const VALUE_WORDS: Readonly<Record<ValueType, string>> = {
  string: 'Text',
  integer: 'Whole number',
  long: 'Large whole number',
  double: 'Number',
  decimal: 'Exact decimal',
  boolean: 'Yes or no',
  date: 'Date',
  timestamptz: 'Time',
  timestamp: 'Time without a zone',
  text: 'Long text',
  email: 'E-mail address',
  uri: 'Web address',
  uuid: 'UUID',
  list: 'List',
  json: 'JSON',
  geometry: 'Geometry',
};
export const VALUE_CHOICES = Object.entries(VALUE_WORDS).map(([value, words]) => ({
  value,
  label: `${words} (${value})`,
}));
export const ITEM_CHOICES = VALUE_CHOICES.filter(({ value }) => value !== 'list');

const TEXTS: readonly ValueType[] = ['string', 'text', 'uri', 'email'];
const NUMBERS: readonly ValueType[] = ['integer', 'double'];
const ORDERED: readonly ValueType[] = [...NUMBERS, 'long', 'decimal', 'date', 'timestamp', 'timestamptz'];
const ENUMS: readonly ValueType[] = [...TEXTS, 'uuid', 'integer', 'long'];
const KEYS: readonly ValueType[] = [
  ...(['string', 'uuid', 'uri', 'email', 'integer', 'long', 'date', 'timestamp', 'timestamptz'] as const),
];

/** What can be said of values of a type. */
export const hasLength = (type: ValueType) => TEXTS.includes(type);
export const isOrdered = (type: ValueType) => ORDERED.includes(type);
export const hasChoices = (type: ValueType) => ENUMS.includes(type);
export const isKeyType = (type: ValueType) => KEYS.includes(type);
export const isIndexable = (type: ValueType) => type !== 'json' && type !== 'geometry';
/** As bounds and choices of the type travel: numbers for some, text for the others. */
export const carried = (type: ValueType, text: string): string | number =>
  NUMBERS.includes(type) && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text.trim();
