import t from 'tap';
import { type Api, configOf, dataOf, errorOf, lastStates, manifest, read, retriever, serve, statesOf } from './kit.ts';

const server = await serve();
const { port, url } = server;
const param = (field_name: string) => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
const dated = (more: object = {}) => ({
  type: 'DatetimeBasedCursor',
  cursor_field: 'at',
  datetime_format: '%Y-%m-%d',
  start_datetime: '2024-01-01',
  start_time_option: param('from'),
  ...more,
});
const shops = {
  type: 'DeclarativeStream',
  name: 'shops',
  retriever: retriever({ path: '/shops' }),
  incremental_sync: dated(),
};
const orders = (more: object = {}) =>
  manifest({
    retriever: retriever(
      { path: '/shops/{{ stream_partition.shop }}' },
      {
        partition_router: {
          type: 'SubstreamPartitionRouter',
          parent_stream_configs: [
            {
              type: 'ParentStreamConfig',
              stream: shops,
              parent_key: 'id',
              partition_field: 'shop',
              incremental_dependency: true,
            },
          ],
        },
      },
    ),
    incremental_sync: dated(),
    ...more,
  });
const api =
  (list: { id: string; at: string }[], rows: Record<string, { n: number; at: string }[]>): Api =>
  ({ path, query }) => {
    const all: { at: string }[] = path === '/shops' ? list : (rows[path.split('/')[2] ?? ''] ?? []);
    return { json: { data: all.filter(({ at }) => at >= (query.get('from') ?? '')) } };
  };

t.test('each partition goes on from its own state, and a parent that is incremental from its own', async (t) => {
  const list = [
    { id: 'a', at: '2024-01-02' },
    { id: 'b', at: '2024-01-03' },
  ];
  server.api = api(list, { a: [{ n: 1, at: '2024-02-01' }], b: [{ n: 2, at: '2024-03-01' }] });
  const config = configOf(url, orders());
  const first = await read(config, port);
  t.strictSame([dataOf(first).map(({ n }) => n), errorOf(first)], [[1, 2], undefined]);
  const [state] = lastStates(first);
  t.match(state.stream.stream_state, {
    use_global_cursor: false,
    states: [
      { partition: { shop: 'a', parent_slice: {} }, cursor: { at: '2024-02-01' } },
      { partition: { shop: 'b', parent_slice: {} }, cursor: { at: '2024-03-01' } },
    ],
    state: { at: '2024-03-01' },
    parent_state: { shops: { at: '2024-01-03' } },
  });
  server.asked.length = 0;
  server.api = api([...list, { id: 'c', at: '2024-01-04' }], {
    b: [{ n: 3, at: '2024-03-02' }],
    c: [{ n: 4, at: '2024-03-02' }],
  });
  const second = await read(config, port, { state: [state] });
  t.strictSame(
    dataOf(second).map(({ n }) => n),
    [3, 4],
  );
  const froms = server.asked.map(({ path, query }) => `${path} ${query.get('from')}`);
  t.strictSame(
    froms,
    ['/shops 2024-01-03', '/shops/b 2024-03-01', '/shops/c 2024-03-01'],
    'parents that did not change are not read',
  );
  t.match(lastStates(second)[0].stream.stream_state.states, [
    { partition: { shop: 'a' } },
    {},
    { partition: { shop: 'c' } },
  ]);
});

t.test('what a partition that failed had not told stays untold', async (t) => {
  const list = ['a', 'b', 'c'].map((id) => ({ id, at: '2024-01-02' }));
  const good = api(list, { a: [{ n: 1, at: '2024-02-01' }], c: [{ n: 3, at: '2024-02-01' }] });
  server.api = (asked) => (asked.path === '/shops/b' ? { status: 404 } : good(asked));
  const said = await read(configOf(url, orders()), port);
  t.match(errorOf(said), { internal_message: 'address_not_found' });
  const told = statesOf(said).map(({ stream }) =>
    stream.stream_state.states.map((one: { partition: { shop: string } }) => one.partition.shop),
  );
  t.strictSame(told, [['a']]);
  t.ok(
    statesOf(said).every(
      ({ stream }) => stream.stream_state.state === undefined && stream.stream_state.parent_state === undefined,
    ),
  );
});

t.test('a value of the cursor that no format fits ends the stream; a record without one is read', async (t) => {
  const plain = configOf(url, manifest({ retriever: retriever(), incremental_sync: dated() }));
  server.api = () => ({ json: { data: [{ n: 1 }, { n: 2, at: null }, { n: 3, at: '2024-05-01' }] } });
  const lacking = await read(plain, port);
  t.strictSame([dataOf(lacking).length, lastStates(lacking)[0].stream.stream_state], [3, { at: '2024-05-01' }]);
  server.api = () => ({ json: { data: [{ n: 1, at: 'cnry soon' }] } });
  const odd = await read(plain, port);
  t.match(errorOf(odd), {
    internal_message: 'cursor_value_invalid',
    hint: /^\/streams\/0\/incremental_sync\/cursor_datetime_formats: /,
  });
  t.notMatch(odd.raw, /cnry/);
  const forged = { type: 'STREAM', stream: { stream_descriptor: { name: 'items' }, stream_state: { at: 'cnry' } } };
  t.match(errorOf(await read(plain, port, { state: [forged] })), { internal_message: 'stored_state_invalid' });
});
