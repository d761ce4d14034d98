import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../api/connection.ts';

/** A statement that was run in this tab. */
export interface PastQuery {
  sql: string;
  at: string;
  rows?: number;
  code?: string;
}

const MAX_KEPT = 50;

/** The statements of this tab in the chosen tenant: in memory only, and gone with the tenant. */
export function useQueryHistory(): [PastQuery[], (query: PastQuery) => void] {
  const tenant = useConnection().tenant ?? '';
  const queries = useQueryClient();
  const queryKey = [tenant, 'query.history'];
  const { data = [] } = useQuery<PastQuery[]>({
    queryKey,
    queryFn: () => queries.getQueryData<PastQuery[]>(queryKey) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const add = (query: PastQuery) =>
    queries.setQueryData<PastQuery[]>(queryKey, (before = []) =>
      [query, ...before.filter(({ sql }) => sql !== query.sql)].slice(0, MAX_KEPT),
    );
  return [data, add];
}
