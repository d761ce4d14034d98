import fc from 'fast-check';
import t from 'tap';
import { configOf, dataOf, errorOf, manifest, read, retriever, serve } from './kit.ts';

const server = await serve();
const { port, url } = server;
const param = (field_name: string) => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });

/** Every way to page, and the answer of a server that pages that way. */
const WAYS = {
  pages: {
    strategy: (page_size: number) => ({ type: 'PageIncrement', page_size, start_from_page: 1 }),
    answer: (all: object[], query: URLSearchParams, size: number) => {
      const page = Number(query.get('at') ?? 1) - 1;
      return { data: all.slice(page * size, (page + 1) * size) };
    },
  },
  offsets: {
    strategy: (page_size: number) => ({ type: 'OffsetIncrement', page_size, inject_on_first_request: true }),
    answer: (all: object[], query: URLSearchParams, size: number) => {
      const from = Number(query.get('at') ?? 0);
      return { data: all.slice(from, from + size) };
    },
  },
  cursors: {
    strategy: () => ({ type: 'CursorPagination', cursor_value: "{{ response['next'] }}" }),
    answer: (all: object[], query: URLSearchParams, size: number) => {
      const from = Number((query.get('at') ?? 'c0').slice(1));
      return { data: all.slice(from, from + size), ...(from + size < all.length ? { next: `c${from + size}` } : {}) };
    },
  },
} as const;

const pagedManifest = (strategy: object, more: object = {}) =>
  manifest({
    retriever: retriever(
      {},
      { paginator: { type: 'DefaultPaginator', pagination_strategy: strategy, page_token_option: param('at') } },
    ),
    ...more,
  });

t.test(
  'no way of paging loses or doubles a record, whatever the size of pages and however many records are alike',
  async () => {
    const way = fc.constantFrom(...(Object.keys(WAYS) as (keyof typeof WAYS)[]));
    const moments = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(way, fc.integer({ min: 1, max: 11 }), moments, async (name, size, days) => {
        const all = days.map((at, id) => ({ id, at: `2024-01-0${at}` }));
        server.api = ({ query }) => ({ json: WAYS[name].answer(all, query, size) });
        const said = await read(configOf(url, pagedManifest(WAYS[name].strategy(size))), port);
        return said.code === 0 && JSON.stringify(dataOf(said)) === JSON.stringify(all);
      }),
      { numRuns: 40 },
    );
  },
);

t.test('windows of time and several at once read every record once, ties on their edges included', async () => {
  const moments = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(
      moments,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      async (hours, step, at_once) => {
        const all = hours.map((hour, id) => ({
          id,
          updated_at: new Date(Date.UTC(2024, 0, 1, hour)).toISOString().slice(0, 19),
        }));
        server.api = ({ query }) => {
          const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
          return { json: { data: all.filter(({ updated_at }) => updated_at >= from && updated_at <= to) } };
        };
        const windowed = manifest(
          {
            retriever: retriever(),
            incremental_sync: {
              type: 'DatetimeBasedCursor',
              cursor_field: 'updated_at',
              datetime_format: '%Y-%m-%dT%H:%M:%S',
              start_datetime: '2024-01-01T00:00:00',
              end_datetime: '2024-01-03T00:00:00',
              step: `PT${step}H`,
              cursor_granularity: 'PT1S',
              start_time_option: param('from'),
              end_time_option: param('to'),
            },
          },
          { concurrency_level: { type: 'ConcurrencyLevel', default_concurrency: at_once } },
        );
        const said = await read(configOf(url, windowed), port);
        const ids = dataOf(said).map(({ id }) => id as number);
        return (
          said.code === 0 && JSON.stringify(ids.toSorted((a, b) => a - b)) === JSON.stringify(all.map(({ id }) => id))
        );
      },
    ),
    { numRuns: 20 },
  );
});

t.test('pages that go round are noticed: a token again, or the same answer again and again', async (t) => {
  server.api = () => ({ json: { data: [{ id: 1 }], next: 'again' } });
  const round = await read(configOf(url, pagedManifest(WAYS.cursors.strategy())), port);
  t.match(errorOf(round), { internal_message: 'paging_loop', hint: /^\/streams\/0\/retriever\/paginator: / });
  const deaf = await read(configOf(url, pagedManifest(WAYS.pages.strategy(1))), port);
  t.match(errorOf(deaf), { internal_message: 'paging_loop' });
  t.ok(dataOf(deaf).length < 20);
});

t.test('a next page on another server is not asked for, and credentials do not go there', async (t) => {
  const other = await serve(() => ({ json: { data: [] } }));
  server.api = () => ({ json: { data: [{ id: 1 }], next: `${other.url}/items` } });
  const paginator = {
    type: 'DefaultPaginator',
    pagination_strategy: { type: 'CursorPagination', cursor_value: "{{ response['next'] }}" },
    page_token_option: { type: 'RequestPath' },
  };
  const said = await read(configOf(url, manifest({ retriever: retriever({}, { paginator }) })), port);
  t.match(errorOf(said), { internal_message: 'address_elsewhere' });
  t.equal(other.asked.length, 0);
});
