import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { keyFile } from '../../../test/key-file.ts';
import { createSource, getPattern, getSource } from '../src/contract.ts';
import { discovered, enableAll, ok, synced, testPlatform } from './platform.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TOKEN = 'cnry-token-of-the-shop';
const text = { type: 'string' };

const option = (field_name: string) => ({ type: 'RequestOption', inject_into: 'request_parameter', field_name });
const PATTERN = {
  id: 'shop',
  version: '1.0.0',
  display: { name: 'Shop' },
  image: 'weir/connector-http:1.0.0',
  source_name: 'source-shop',
  protocol: 'airbyte',
  manifest: {
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['orders'] },
    spec: {
      type: 'Spec',
      connection_specification: {
        type: 'object',
        required: ['url', 'token'],
        properties: { url: text, token: { ...text, airbyte_secret: true } },
      },
    },
    streams: [
      {
        type: 'DeclarativeStream',
        name: 'orders',
        primary_key: ['id'],
        schema_loader: {
          type: 'InlineSchemaLoader',
          schema: {
            type: 'object',
            properties: { id: { type: 'integer' }, amount: { type: 'number' }, at: { ...text, format: 'date-time' } },
          },
        },
        retriever: {
          type: 'SimpleRetriever',
          requester: {
            type: 'HttpRequester',
            url_base: "{{ config['url'] }}",
            path: '/orders',
            authenticator: { type: 'BearerAuthenticator', api_token: "{{ config['token'] }}" },
          },
          record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['orders'] } },
          paginator: {
            type: 'DefaultPaginator',
            pagination_strategy: { type: 'OffsetIncrement', page_size: 2 },
            page_size_option: option('limit'),
            page_token_option: option('offset'),
          },
        },
        incremental_sync: {
          type: 'DatetimeBasedCursor',
          cursor_field: 'at',
          datetime_format: '%Y-%m-%dT%H:%M:%SZ',
          start_datetime: '2024-01-01T00:00:00Z',
          start_time_option: option('since'),
        },
      },
    ],
  },
};

const { streams, ...MANIFEST } = PATTERN.manifest;
const [ORDERS] = streams as [(typeof streams)[number]];

/** The same source behind a server that gives each refresh token once, with the access token that it is traded for. */
const RENEWING = {
  ...PATTERN,
  id: 'renewing',
  manifest: {
    ...MANIFEST,
    spec: {
      type: 'Spec',
      connection_specification: {
        type: 'object',
        required: ['url', 'auth'],
        properties: {
          url: text,
          auth: { type: 'object', required: ['refresh'], properties: { refresh: { ...text, airbyte_secret: true } } },
        },
      },
    },
    streams: [
      {
        ...ORDERS,
        retriever: {
          ...ORDERS.retriever,
          requester: {
            ...ORDERS.retriever.requester,
            authenticator: {
              type: 'OAuthAuthenticator',
              token_refresh_endpoint: "{{ config['url'] }}/token",
              client_id: 'weir',
              client_secret: 'none',
              refresh_token_updater: { refresh_token_config_path: ['auth', 'refresh'] },
            },
          },
        },
      },
    ],
  },
};

t.test(
  'a pattern that is only a manifest makes a source that is discovered and synced, and goes on where it was',
  async (t) => {
    const orders = ['01', '02', '03'].map(
      (day, index) => `{"id":${9007199254740993n + BigInt(index)},"amount":0.10,"at":"2024-03-${day}T00:00:00Z"}`,
    );
    const traded: string[] = [];
    const tokens = { refresh: `${TOKEN}-refresh-0`, access: '', fails: 0 };
    /** Trades a refresh token, each once. */
    const trade = (given: string | null): string | undefined => {
      traded.push(String(given));
      if (given !== tokens.refresh) return undefined;
      Object.assign(tokens, {
        refresh: `${TOKEN}-refresh-${traded.length}`,
        access: `${TOKEN}-access-${traded.length}`,
      });
      return JSON.stringify({ access_token: tokens.access, refresh_token: tokens.refresh, expires_in: 3600 });
    };
    const server = createServer(async (request, answer) => {
      const { url, headers } = request;
      const { pathname, searchParams: query } = new URL(url ?? '', 'http://x');
      if (pathname === '/token') {
        const said = trade(new URLSearchParams(await readBody(request)).get('refresh_token'));
        return answer.writeHead(said === undefined ? 400 : 200).end(said ?? '{}');
      }
      const [known, own] = [[TOKEN, tokens.access], headers.authorization?.slice('Bearer '.length) ?? ''];
      if (own === '' || !known.includes(own)) return answer.writeHead(401).end('{}');
      if (own === tokens.access && tokens.fails-- > 0) return answer.writeHead(400).end('{}');
      const found = orders.filter((order) => (JSON.parse(order) as { at: string }).at > (query.get('since') ?? ''));
      const [from, size] = [Number(query.get('offset') ?? 0), Number(query.get('limit'))];
      return answer.end(`{"orders":[${found.slice(from, from + size).join(',')}]}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const platform = await testPlatform(t, async (folder) => {
      await mkdir(join(folder, 'patterns'));
      for (const pattern of [PATTERN, RENEWING]) {
        await writeFile(join(folder, 'patterns', `${pattern.id}.json`), JSON.stringify(pattern));
      }
      await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      const WEIR_PLATFORM = join(folder, 'platform.json');
      const own = JSON.parse(await readFile(join(ROOT, 'platform.json'), 'utf8')) as object;
      await writeFile(WEIR_PLATFORM, JSON.stringify({ ...own, patterns: [join(ROOT, 'connectors/http'), 'patterns'] }));
      const WEIR_CREDENTIAL_KEY_FILE = await keyFile(folder);
      return {
        WEIR_PLATFORM,
        WEIR_CREDENTIAL_KEY_FILE,
        WEIR_EGRESS_ALLOW: '127.0.0.0/8',
        WEIR_EGRESS_PORTS: String(port),
      };
    });
    await platform.startWorker();
    const api = await platform.as('demo');
    const pattern = ok(await api(getPattern, { params: { pattern_id: 'shop' } }));
    t.strictSame(
      [pattern.spec, pattern.credential_fields],
      [PATTERN.manifest.spec.connection_specification, ['/token']],
    );

    const source_config = { url: `http://127.0.0.1:${port}` };
    const body = { name: 'shop', pattern_id: 'shop', source_config, credential_values: { token: TOKEN } };
    const forged = { ...source_config, __injected_declarative_manifest: {} };
    t.match(await api(createSource, { body: { ...body, source_config: forged } }), {
      ok: false,
      problem: { status: 422 },
    });
    const { source_id } = ok(await api(createSource, { body }));
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
    t.match(await synced(api, source_id), { status: 'succeeded', verdict: 'clean', rows_written: 3 });
    orders.push('{"id":9007199254740996,"amount":12345678901234567.89,"at":"2024-03-04T00:00:00Z"}');
    t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 });
    const { columns, rows } = ok(await api(previewDataset, { params: { dataset_id: 'bronze.demo.shop__orders' } }));
    const id = columns.findIndex(({ name }) => name === 'id');
    t.strictSame(
      rows.map((row) => row[id]).toSorted(),
      [...Array(4)].map((_, index) => String(9007199254740993n + BigInt(index))).toSorted(),
    );
    const shown = ok(await api(getSource, { params: { source_id } }));
    t.strictSame(shown.source_config, source_config, 'the manifest is no part of what is configured');

    await t.test('a refresh token that counts once is kept before the next, also by a sync that fails', async (t) => {
      const credential_values = { auth: { refresh: tokens.refresh } };
      const body = { name: 'renewing', pattern_id: 'renewing', source_config, credential_values };
      const { source_id } = ok(await api(createSource, { body }));
      t.match(await discovered(api, source_id), { status: 'succeeded' });
      await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
      t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 4 });
      tokens.fails = 1;
      t.match(await synced(api, source_id), { status: 'failed' });
      orders.push('{"id":9007199254740997,"amount":1,"at":"2024-03-05T00:00:00Z"}');
      t.match(await synced(api, source_id), { status: 'succeeded', rows_written: 1 });
      t.strictSame(
        traded,
        [0, 1, 2].map((at) => `${TOKEN}-refresh-${at}`),
        'each in its turn, and each once',
      );
      t.notMatch(JSON.stringify(ok(await api(getSource, { params: { source_id } }))), TOKEN);
    });
  },
);
