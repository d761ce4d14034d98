import { useQueries } from '@tanstack/react-query';
import { getDataset, listDatasets } from '@weir/plugin-datasets/contract';
import { useMemo } from 'react';
import { ask } from '../api/ask.ts';
import { useConnection } from '../api/connection.ts';
import { useRead } from '../api/queries.ts';
import { namedTables, nameTree } from '../editor/sql-names.ts';
import type { Suggested } from '../form/schema-input.tsx';

export const MAX_TABLES = 500;
/** Tables of one statement whose columns are read. */
const MAX_NAMED = 12;

/** The tables of the tenant, and the columns of those that a statement names. Both belong to the chosen tenant alone. */
export function useCatalogue(sql: string) {
  const connection = useConnection();
  const list = useRead(listDatasets, { query: { limit: MAX_TABLES } });
  const tables = useMemo(() => list.data?.items.map(({ dataset_id }) => dataset_id) ?? [], [list.data]);
  const known = useMemo(() => new Set(tables), [tables]);
  const named = useMemo(() => namedTables(sql, known).slice(0, MAX_NAMED), [sql, known]);
  const details = useQueries({
    queries: named.map((dataset_id) => {
      const input = { params: { dataset_id } };
      return {
        queryKey: [connection.tenant ?? '', getDataset.id, input],
        queryFn: ({ signal }: { signal: AbortSignal }) => ask(connection, getDataset, input, { signal }),
        retry: false,
      };
    }),
    combine: (results) =>
      results.flatMap(({ data }) =>
        data === undefined ? [] : [[data.dataset_id, data.schema.columns.map(({ name }) => name)] as const],
      ),
  });
  const names = useMemo(() => nameTree(tables, new Map(details)), [tables, details]);
  const columns = useMemo(() => [...new Set(details.flatMap(([, own]) => own))], [details]);
  return { list, tables, names, columns, named };
}

/** What forms offer: all tables, and the columns of those that a text names. */
export function useSuggested(text: string): Suggested {
  const { tables, columns } = useCatalogue(text);
  return useMemo(() => ({ datasets: tables, columns }), [tables, columns]);
}
