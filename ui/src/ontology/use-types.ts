import type { EntityTypeItemView } from '@weir/plugin-ontology/contract';
import { listEntityTypes } from '@weir/plugin-ontology/contract';
import { useEffect } from 'react';
import { useReadPages } from '../api/read-pages.ts';

/** As many as a page of the server holds; a tenant has at most a thousand types. */
const PAGE = 500;

/** Every type that is not retired; `data` is absent until all are read. */
export function useAllTypes() {
  const pages = useReadPages(listEntityTypes, { query: { limit: PAGE, order: 'code' } });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const types: EntityTypeItemView[] | undefined = hasNextPage ? undefined : data?.flatMap(({ items }) => items);
  return { data: types, error: pages.error, isPending: pages.isPending, refetch: pages.refetch };
}
