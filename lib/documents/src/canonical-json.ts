import { createHash } from 'node:crypto';

/**
 * The text of a JSON value in its canonical form (RFC 8785): members in the order of their names by UTF-16 code units, no
 * spaces, numbers as ECMAScript writes them. Members that are undefined are left out, as JSON does. Pure.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** The SHA-256 of a JSON value in its canonical form, in hex. */
export function canonicalSha256(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
