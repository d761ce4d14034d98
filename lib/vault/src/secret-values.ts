import { createHash, timingSafeEqual } from 'node:crypto';
import { Secret } from './secret.ts';

/** The credential of one thing: JSON pointer of each declared field to its JSON value, which is never printed. */
export type SecretValues = ReadonlyMap<string, Secret<unknown>>;

/** Wraps each field's value. */
export function secretValues(fields: Iterable<readonly [pointer: string, value: unknown]>): SecretValues {
  return new Map(Array.from(fields, ([pointer, value]) => [pointer, new Secret(value)]));
}

/** The values as one JSON object; the text is as secret as they are. */
export function revealJson(values: SecretValues): string {
  return JSON.stringify(Object.fromEntries(Array.from(values, ([pointer, value]) => [pointer, value.reveal()])));
}

/** Reads what `revealJson` wrote. Undefined when it is no JSON object. */
export function readValues(text: string): SecretValues | undefined {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined;
    return secretValues(Object.entries(fields));
  } catch {
    return undefined;
  }
}

/** Whether two credentials have the same fields with the same JSON values; takes as long for any values of a length. */
export function sameValues(one: SecretValues, other: SecretValues): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(values: SecretValues): Buffer {
  return createHash('sha256')
    .update(canonical(JSON.parse(revealJson(values))))
    .digest();
}

/** JSON with the names of every object in order, so that two spellings of one value are one text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}
