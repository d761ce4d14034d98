import type { CallContext } from '@weir/kernel';
import type { Reader } from '../contract.ts';
import { ReadRefused } from '../model/faults.ts';

const PAGE = '500';
const FIRST_ERROR_STATUS = 400;

/** Reads the API as the caller of a route. */
export function apiReader(call: CallContext['call']): Reader {
  const known = new Map<string, Promise<unknown>>();
  const ask: typeof call = (endpoint, asked) => {
    const key = JSON.stringify([endpoint.id, asked.params, asked.query]);
    const asking = known.get(key) ?? call(endpoint, asked);
    known.set(key, asking);
    return asking as ReturnType<typeof call>;
  };
  const read: typeof ask = async (endpoint, asked) => {
    const answer = await ask(endpoint, asked);
    if (answer.status < FIRST_ERROR_STATUS) return answer;
    const { code, detail } = answer.body as { code: string; detail: string };
    throw new ReadRefused(code, detail);
  };
  return {
    get: async <T>(
      endpoint: Parameters<typeof read>[0],
      params: Record<string, string>,
      query: Record<string, string> = {},
    ) => (await read(endpoint, { params, query })).body as T,
    async all<T>(
      endpoint: Parameters<typeof read>[0],
      { params = {}, query = {} }: { params?: Record<string, string>; query?: Record<string, string> } = {},
    ) {
      const items: T[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const at: Record<string, string> = token === '' ? {} : { page_token: token };
        const { body } = await read(endpoint, { params, query: { ...query, ...at, limit: PAGE } });
        const page = body as { items: T[]; next_page_token: string | null };
        items.push(...page.items);
        token = page.next_page_token;
      }
      return items;
    },
  };
}
