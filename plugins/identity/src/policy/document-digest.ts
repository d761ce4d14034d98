import { createHash } from 'node:crypto';

/** SHA-256, in hex, of a document whose members are in the order of their names; equal documents have equal digests. */
export function documentDigest(document: unknown): string {
  return createHash('sha256').update(canonical(document)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}
