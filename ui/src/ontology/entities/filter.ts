/** A value of an indexed property that entities must have. */
export interface Condition {
  property: string;
  value: string;
}

/** The conditions of an address, the last one of each property; those of properties that are not indexed are left out. */
export function conditionsIn(filter: string, indexed: readonly string[]): Condition[] {
  const found = new Map([...new URLSearchParams(filter)].filter(([property]) => indexed.includes(property)));
  return [...found].map(([property, value]) => ({ property, value }));
}

/** Conditions as the address and the server take them; empty for none. */
export const filterText = (conditions: readonly Condition[]): string =>
  new URLSearchParams(conditions.map(({ property, value }): [string, string] => [property, value])).toString();

const MAX_VALUE = 4_000;
const JSON_INDENT = 2;

/** A value as people read it: lists by commas, objects as JSON, nothing for an absent one. */
export function valueText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return cut(value.join(', '));
  return cut(JSON.stringify(value, undefined, JSON_INDENT));
}

const cut = (text: string) => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);
