import { kernelProblems } from '@weir/kernel/contract';

const TOKEN = /^[A-Za-z0-9_-]{1,2048}$/;

/** The opaque token of the place behind `last`, for one order. */
export function encodePlace(order: string, last: readonly string[]): string {
  return Buffer.from(JSON.stringify([order, ...last])).toString('base64url');
}

/** Reads a token of `count` key values back; throws `invalid_page_token` unless it was made for this order. */
export function decodePlace(token: string, order: string, count: number): string[] {
  const parts = TOKEN.test(token) ? parsed(Buffer.from(token, 'base64url').toString('utf8')) : undefined;
  if (!Array.isArray(parts) || parts.length !== count + 1 || !parts.every((part) => typeof part === 'string')) {
    throw kernelProblems.invalidPageToken();
  }
  const [of, ...keys] = parts as string[];
  if (of !== order) throw kernelProblems.invalidPageToken();
  return keys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
