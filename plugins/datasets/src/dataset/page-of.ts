import { decodePageToken, encodePageToken } from '@weir/kernel';

/** A keyset page of a list that is in memory already, ordered by a text key that no two items share. */
export function pageOf<T>(
  list: readonly T[],
  request: { limit?: number; page_token?: string; order: string },
  keyOf: (item: T) => string,
): { items: T[]; next_page_token: string | null } {
  const { order, limit = 50 } = request;
  const sign = order.startsWith('-') ? -1 : 1;
  const compare = (a: string, b: string) => (a < b ? -sign : a > b ? sign : 0);
  const from = request.page_token === undefined ? undefined : decodePageToken(request.page_token, order).id;
  const rest = list
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => from === undefined || compare(key, from) > 0)
    .sort((a, b) => compare(a.key, b.key));
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map(({ item }) => item),
    next_page_token: last === undefined ? null : encodePageToken({ order, value: last.key, id: last.key }),
  };
}
