import { connectorConformance } from '@weir/connector-sdk/testing';
import t from 'tap';
import {
  type Api,
  configOf,
  dataOf,
  lastStates,
  manifest,
  PROGRAM,
  read,
  retriever,
  run,
  serve,
  statesOf,
} from './kit.ts';

const server = await serve();
const { port, url } = server;

type Item = { id: number; updated_at: string };
const day = (id: number) => `2024-01-${String(id).padStart(2, '0')}T00:00:00Z`;
const items: Item[] = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, updated_at: day(index + 1) }));

/** Pages of what is newer than `since`, for those who hold the token. */
const paged: Api = ({ headers, query, path }) => {
  if (headers.authorization !== 'Bearer secret-token') return { status: 401, json: { error: 'no' } };
  if (path !== '/items') return { status: 404 };
  const since = query.get('since') ?? '';
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('limit'))];
  const found = items.filter((item) => item.updated_at > since);
  return { json: { data: found.slice((page - 1) * size, page * size) } };
};

const incremental = manifest({
  primary_key: ['id'],
  retriever: retriever(
    { authenticator: { type: 'BearerAuthenticator', api_token: "{{ config['token'] }}" } },
    {
      paginator: {
        type: 'DefaultPaginator',
        pagination_strategy: { type: 'PageIncrement', page_size: 10, start_from_page: 1 },
        page_size_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'limit' },
        page_token_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'page' },
      },
    },
  ),
  incremental_sync: {
    type: 'DatetimeBasedCursor',
    cursor_field: 'updated_at',
    datetime_format: '%Y-%m-%dT%H:%M:%SZ',
    start_datetime: "{{ config['start'] }}",
    start_time_option: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'since' },
  },
});
const config = configOf(url, incremental, { token: 'secret-token', start: '2023-12-31T00:00:00Z' });

t.test('a stream is read page by page with its credentials, and goes on from its state', async (t) => {
  server.api = paged;
  const first = await read(config, port);
  t.equal(first.code, 0, JSON.stringify(first.messages.at(-2)));
  t.strictSame(dataOf(first), items);
  t.strictSame(
    statesOf(first).map((state) => state.stream.stream_state),
    [{ updated_at: day(25) }, { updated_at: day(25) }],
  );
  items.push({ id: 26, updated_at: day(26) });
  const second = await read(config, port, { state: lastStates(first) });
  t.strictSame(dataOf(second), [{ id: 26, updated_at: day(26) }]);
  t.notMatch(first.raw, /secret-token/);
});

t.test('the catalog tells keys, cursor and the schema of the manifest, or what a sample shows', async (t) => {
  const { messages } = await run('discover', { config }, [port]);
  t.strictSame(messages[0].catalog.streams, [
    {
      name: 'items',
      json_schema: {
        type: 'object',
        properties: { id: { type: ['null', 'integer'] }, updated_at: { type: ['null', 'string'] } },
        additionalProperties: true,
      },
      supported_sync_modes: ['full_refresh', 'incremental'],
      source_defined_cursor: true,
      default_cursor_field: ['updated_at'],
      source_defined_primary_key: [['id']],
      is_resumable: true,
    },
  ]);
});

const operator = { WEIR_EGRESS_ALLOW: '127.0.0.1', WEIR_EGRESS_PORTS: String(port) };
Object.assign(process.env, operator);
for (const { name, run: check } of connectorConformance({
  command: [process.execPath, '--conditions=@weir/source', PROGRAM],
  config,
  badConfig: { ...config, token: 'another' },
})) {
  t.test(`as every connector: ${name}`, async () => {
    server.api = paged;
    await check();
  });
}
t.teardown(() => {
  for (const name of Object.keys(operator)) delete process.env[name];
});
