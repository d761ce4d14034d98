import { decodePageToken, encodePageToken } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, kernelProblems } from '@weir/kernel/contract';

/** What a list in memory is asked for; an `order` that does not begin with `-` puts the oldest first. */
export interface PageAsked {
  limit?: number;
  page_token?: string;
  order?: string;
}

export interface MemoryPage<T> {
  page: T[];
  next_page_token: string | null;
  total: number;
}

/**
 * A page of a list that is in memory whole, newest first unless asked otherwise. `list` says which list it is: a token
 * of any other is refused, and so is one whose item has gone.
 */
export function pageOf<T>(
  oldestFirst: readonly T[],
  { asked, list, idOf }: { asked: PageAsked; list: string; idOf: (item: T) => string },
): MemoryPage<T> {
  const limit = asked.limit ?? DEFAULT_PAGE_SIZE;
  const ascending = asked.order !== undefined && !asked.order.startsWith('-');
  const binding = [list, ascending];
  const ordered = ascending ? oldestFirst : oldestFirst.toReversed();
  const after = asked.page_token === undefined ? undefined : decodePageToken(binding, asked.page_token).id;
  const start = after === undefined ? 0 : ordered.findIndex((item) => idOf(item) === after) + 1;
  if (after !== undefined && start === 0) throw kernelProblems.invalidPageToken();
  const page = ordered.slice(start, start + limit);
  const last = start + limit < ordered.length ? page.at(-1) : undefined;
  return {
    page,
    next_page_token: last === undefined ? null : encodePageToken(binding, { value: null, id: idOf(last) }),
    total: ordered.length,
  };
}
