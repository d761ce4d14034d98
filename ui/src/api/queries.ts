import { keepPreviousData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Endpoint, Input, Output } from '@weir/kernel/contract';
import { useRef } from 'react';
import { ask, newIdempotencyKey } from './ask.ts';
import { useConnection } from './connection.ts';
import { UnreachableError } from './problem-error.ts';

const RETRIES = 3;

interface ReadOptions<E extends Endpoint> {
  enabled?: boolean;
  /** Milliseconds to the next reading, from the newest answer; false for none. */
  again?: (answer: Output<E> | undefined) => number | false;
  /** Keep the rows of the last filter until those of the next are here. */
  keep?: boolean;
}

/** Reads an endpoint; hints of the event stream read it again. */
export function useRead<E extends Endpoint>(endpoint: E, input: Partial<Input<E>> = {}, options: ReadOptions<E> = {}) {
  const connection = useConnection();
  const { enabled = true, again, keep = false } = options;
  return useQuery<Output<E>>({
    queryKey: [connection.tenant ?? '', endpoint.id, input],
    queryFn: ({ signal }) => ask(connection, endpoint, input, { signal }),
    enabled,
    retry: (failures, error) => error instanceof UnreachableError && failures < RETRIES,
    ...(again === undefined ? {} : { refetchInterval: ({ state }) => again(state.data) }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/**
 * Calls an endpoint that changes something, then reads again what the plugin shows. The same input sent again after a
 * lost answer has the same idempotency key.
 */
export function useChange<E extends Endpoint>(endpoint: E) {
  const connection = useConnection();
  const queries = useQueryClient();
  const sent = useRef({ text: '', key: '' });
  return useMutation<Output<E>, Error, Partial<Input<E>> & { headers?: Record<string, string> }>({
    mutationFn: ({ headers, ...input }) => {
      const text = JSON.stringify(input);
      if (sent.current.text !== text) sent.current = { text, key: newIdempotencyKey() };
      const repeatable = endpoint.method === 'POST' ? { 'idempotency-key': sent.current.key } : {};
      return ask(connection, endpoint, input as unknown as Partial<Input<E>>, {
        headers: { ...repeatable, ...headers },
      });
    },
    onSuccess: () => {
      sent.current = { text: '', key: '' };
      return readAgain(queries, endpoint.id.split('.')[0] ?? '');
    },
  });
}

/** Reads again what is shown of a plugin, also what is being read for the first time: its answer may be older than the change. */
export async function readAgain(queries: QueryClient, plugin: string): Promise<void> {
  const isOf = ({ queryKey }: { queryKey: readonly unknown[] }) => String(queryKey[1]).startsWith(`${plugin}.`);
  const first = queries
    .getQueryCache()
    .findAll({ predicate: isOf, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined);
  // The library lets such a reading end, and forgets then that another one was asked for.
  await queries.invalidateQueries({ predicate: isOf });
  if (first.length > 0) await queries.invalidateQueries({ predicate: (query) => first.includes(query) });
}
