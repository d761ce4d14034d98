import { useQuery } from '@tanstack/react-query';
import { listStreams, type StreamView } from '@weir/plugin-sources/contract';
import { ask } from '../../api/ask.ts';
import { useConnection } from '../../api/connection.ts';

const PAGE = 500;

/** Every stream of a source: at most 5,000, which is ten pages. */
export function useAllStreams(sourceId: string) {
  const connection = useConnection();
  return useQuery<StreamView[]>({
    queryKey: [connection.tenant ?? '', listStreams.id, sourceId],
    queryFn: async ({ signal }) => {
      const all: StreamView[] = [];
      let token: string | null = null;
      do {
        const query = { limit: PAGE, order: 'name', ...(token === null ? {} : { page_token: token }) };
        const page: { items: StreamView[]; next_page_token: string | null } = await ask(
          connection,
          listStreams,
          { params: { source_id: sourceId }, query },
          { signal },
        );
        all.push(...page.items);
        token = page.next_page_token;
      } while (token !== null);
      return all;
    },
  });
}
