import { decodePageToken, encodePageToken, type PageRequest } from '@weir/kernel';
import { DEFAULT_PAGE_SIZE, type Tenant } from '@weir/kernel/contract';

interface PageOf<T> {
  items: T[];
  next_page_token: string | null;
}

/**
 * One list over several tenants, in the order of their aliases: a page ends with its size, and its token names the tenant
 * and the place there. `list` says what is listed, so that a token is good for it alone. Throws `invalid_page_token`.
 */
export async function pageAcross<T>(
  tenants: readonly Tenant[],
  { list, request }: { list: readonly unknown[]; request: PageRequest },
  read: (tenant: Tenant, request: PageRequest) => Promise<PageOf<T>>,
): Promise<PageOf<T> & { total: null }> {
  const from = request.page_token === undefined ? undefined : decodePageToken(list, request.page_token);
  const limit = request.limit ?? DEFAULT_PAGE_SIZE;
  const items: T[] = [];
  const ended = (alias: string, inner: string | null) => ({
    items,
    next_page_token: encodePageToken(list, { value: inner, id: alias }),
    total: null,
  });
  for (const tenant of tenants) {
    const { alias } = tenant;
    if (from !== undefined && alias < from.id) continue;
    const inner = from?.id === alias ? (from.value ?? undefined) : undefined;
    const isFull = items.length === limit;
    const page = await read(tenant, { ...request, limit: isFull ? 1 : limit - items.length, page_token: inner });
    if (isFull && page.items.length > 0) return ended(alias, null);
    if (isFull) continue;
    items.push(...page.items);
    if (page.next_page_token !== null) return ended(alias, page.next_page_token);
  }
  return { items, next_page_token: null, total: null };
}
