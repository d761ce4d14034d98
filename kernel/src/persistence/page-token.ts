import { createHash } from 'node:crypto';
import { kernelProblems } from '../contract/problems.ts';

/** Where the next page begins: the last row's value of the order, and its id. */
export interface PagePosition {
  value: string | null;
  id: string;
}

const MAX_TOKEN_LENGTH = 2048;

/** The opaque token of a position, base64url. It is good for `list` alone: its name, order and filters. */
export function encodePageToken(list: readonly unknown[], { value, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([fingerprintOf(list), value, id])).toString('base64url');
}

/** Reads a token back; throws `invalid_page_token` unless it is well-formed and was made for this very list. */
export function decodePageToken(list: readonly unknown[], token: string): PagePosition {
  const refuse = () => kernelProblems.invalidPageToken();
  if (token.length > MAX_TOKEN_LENGTH || !/^[A-Za-z0-9_-]+$/.test(token)) throw refuse();
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw refuse();
  const [of, value, id] = parts as unknown[];
  const fits = typeof id === 'string' && (value === null || typeof value === 'string');
  if (of !== fingerprintOf(list) || !fits) throw refuse();
  return { value, id };
}

function fingerprintOf(list: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('base64url');
}
