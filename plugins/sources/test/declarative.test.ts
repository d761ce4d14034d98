import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { createSource, getPattern, getSource } from '../src/contract.ts';
import { discovered, enableAll, ok, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const TOKEN = 'cnry-token-of-the-shop';

/** The pattern `shop` as its file has it; `renewing` is the same source behind a server that gives each refresh token once. */
const file = join(import.meta.dirname, 'fixtures/declarative/shop.json');
const { manifest } = JSON.parse(await readFile(file, 'utf8'));

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
    });
    const platform = await sharedPlatform(t);
    const port = await platform.listen(server);
    const api = await platform.as('demo');
    const pattern = ok(await api(getPattern, { params: { pattern_id: 'shop' } }));
    t.strictSame([pattern.spec, pattern.credential_fields], [manifest.spec.connection_specification, ['/token']]);

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
    const { columns, rows } = ok(
      await api(previewDataset, { params: { dataset_id: platform.bronze('shop__orders') } }),
    );
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
        [0, 1, 2, 3].map((at) => `${TOKEN}-refresh-${at}`),
        'each in its turn, and each once',
      );
      t.notMatch(JSON.stringify(ok(await api(getSource, { params: { source_id } }))), TOKEN);
    });
  },
);
