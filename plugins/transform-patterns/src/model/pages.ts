import { decodePageToken, encodePageToken } from '@weir/kernel';

const DEFAULT_LIMIT = 50;

export interface PageRequest {
  limit?: number | undefined;
  page_token?: string | undefined;
  order?: string | undefined;
}

/** One page of a list that lies in memory, ordered by id. Throws `invalid_page_token`. */
export function pageOf<T>(list: string, items: readonly T[], idOf: (item: T) => string, request: PageRequest = {}) {
  const { limit = DEFAULT_LIMIT, page_token: token, order = 'id' } = request;
  const isDescending = order.startsWith('-');
  const ordered = items.toSorted((one, other) => (idOf(one) < idOf(other) !== isDescending ? -1 : 1));
  const after = token === undefined ? undefined : decodePageToken([list, order], token).id;
  const isAfter = (id: string) => after === undefined || (isDescending ? id < after : id > after);
  const rest = ordered.filter((item) => isAfter(idOf(item)));
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const next =
    last === undefined || rest.length <= limit ? null : encodePageToken([list, order], { value: null, id: idOf(last) });
  return { items: shown, next_page_token: next, total: items.length };
}

/** How many items each category has, by name. */
export function categoriesOf(items: readonly { category: string }[]) {
  const counts = new Map<string, number>();
  for (const { category } of items) counts.set(category, (counts.get(category) ?? 0) + 1);
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    items: sorted.map(([category, count]) => ({ category, count })),
    next_page_token: null,
    total: counts.size,
  };
}
