import { createHash } from 'node:crypto';
import { fault } from './fault.ts';
import type { Listing } from './list-folder.ts';

/** How many digits of a query's hash tell two addresses apart in the state. */
const QUERY_DIGITS = 16;

/**
 * The files of a list of addresses, each known by the last part of its path. An address that comes twice counts once;
 * `address_invalid` names the place of one that is none in the list. Nothing is fetched.
 */
export function listAddresses(urls: readonly string[]): Listing {
  const byKey = new Map<string, { readonly name: string; readonly url: string }>();
  urls.forEach((text, index) => {
    const url = URL.parse(text);
    if (url === null) throw fault('address_invalid', `number ${index + 1}`);
    byKey.set(keyOf(url), { name: nameOf(url), url: text });
  });
  return {
    found: [...byKey].map(([key, { name }]) => ({ key, name })),
    placeOf: async (key) => ({ url: byKey.get(key)?.url ?? '' }),
  };
}

/** The address without user, password and query, which may hold a secret; a hash keeps queries apart. */
function keyOf({ protocol, host, pathname, search }: URL): string {
  const query = search === '' ? '' : `?${createHash('sha256').update(search).digest('hex').slice(0, QUERY_DIGITS)}`;
  return `${protocol}//${host}${pathname}${query}`;
}

function nameOf({ hostname, pathname }: URL): string {
  const last = pathname.split('/').findLast((part) => part !== '') ?? hostname;
  try {
    const name = decodeURIComponent(last);
    return name.includes('/') ? last : name;
  } catch {
    return last;
  }
}
