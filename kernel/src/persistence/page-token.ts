import { kernelProblems } from '../contract/problems.ts';

/** Where the next page begins: the order it belongs to, and the last row's value and id. */
export interface PagePosition {
  order: string;
  value: string | null;
  id: string;
}

const MAX_TOKEN_LENGTH = 2048;

/** The opaque token of a position, base64url. */
export function encodePageToken({ order, value, id }: PagePosition): string {
  return Buffer.from(JSON.stringify([order, value, id])).toString('base64url');
}

/** Reads a token back; throws `invalid_page_token` unless it is well-formed and belongs to this order. */
export function decodePageToken(token: string, order: string): PagePosition {
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
  if (of !== order || typeof id !== 'string' || (value !== null && typeof value !== 'string')) throw refuse();
  return { order, value, id };
}
