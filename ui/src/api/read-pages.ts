import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { Endpoint, Input, Output } from '@weir/kernel/contract';
import { ask } from './ask.ts';
import { useConnection } from './connection.ts';
import { UnreachableError } from './problem-error.ts';

const RETRIES = 3;

/** Reads a list page by page; `keep` shows the rows of the last filter until those of the next are here. */
export function useReadPages<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}, { keep = false } = {}) {
  const connection = useConnection();
  return useInfiniteQuery({
    queryKey: [connection.tenant ?? '', endpoint.id, 'pages', input],
    queryFn: ({ signal, pageParam }) => {
      const token = pageParam === undefined ? {} : { page_token: pageParam };
      const query = { ...(input as unknown as { query?: object }).query, ...token };
      return ask(connection, endpoint, { ...input, query } as unknown as Partial<Input<E>>, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Output<E>) =>
      (last as { next_page_token?: string | null } | undefined)?.next_page_token ?? undefined,
    retry: (failures, error) => error instanceof UnreachableError && failures < RETRIES,
    select: ({ pages }) => pages,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}
