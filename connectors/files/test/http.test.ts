import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { connectorConformance } from '@weir/connector-sdk/testing';
import t from 'tap';
import { pace } from '../../../test/until.ts';
import {
  bounds,
  configured,
  dataOf,
  discover,
  errorOf,
  folder,
  openPorts,
  ownTemporaryFolder,
  PROGRAM,
  parquet,
  read,
  run,
  statesOf,
} from './kit.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
/** What the server answers by path, and the requests that it got. */
const answers = new Map<string, Answer>();
const asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  const answer = answers.get((request.url ?? '').split('?')[0] ?? '');
  if (answer === undefined) response.writeHead(404).end('canary');
  else answer(request, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => {
  server.close();
  server.closeAllConnections();
});
const { port } = server.address() as AddressInfo;
openPorts.push(port);
const at = (path: string) => `http://127.0.0.1:${port}${path}`;
const file =
  (content: string | Uint8Array, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, headers).end(content);

/** Runs the connector as the runtime does, with an environment of its own. */
async function program(verb: string, config: unknown, environment: Record<string, string>) {
  const dir = await folder({ config: JSON.stringify(config) });
  const args = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning', PROGRAM, verb, '--config'];
  const child = spawn(process.execPath, [...args, join(dir, 'config')], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = (await text(child.stdout)).trim();
  return JSON.parse(line);
}

t.test(
  'the operator opens networks and ports by the environment of the connector; the configuration cannot',
  async (t) => {
    answers.set('/a.csv', file('v\n1\n'));
    const config = { url: at('/a.csv') };
    const allowed = { WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: String(port) };
    t.match(await program('check', config, allowed), { connectionStatus: { status: 'SUCCEEDED' } });
    for (const [environment, code] of [
      [{}, 'address_refused'],
      [{ ...allowed, WEIR_EGRESS_ALLOW: '10.0.0.0/8' }, 'address_refused'],
      [{ ...allowed, WEIR_EGRESS_PORTS: '' }, 'address_refused'],
      [{ ...allowed, WEIR_EGRESS_ALLOW: 'canary' }, 'egress_setting_invalid'],
    ] as const) {
      const said = await program('check', config, environment);
      t.match(said, { connectionStatus: { status: 'FAILED', code } });
      t.notMatch(JSON.stringify(said), /canary|127\.0/);
    }
  },
);

answers.set('/conforming.csv', file('id,name\n1,x\n2,y\n'));
answers.set('/conforming.jsonl.gz', file(gzipSync('{"id":1}\n')));
const operator = { WEIR_EGRESS_ALLOW: '127.0.0.1', WEIR_EGRESS_PORTS: String(port) };
Object.assign(process.env, operator);
for (const { name, run: check } of connectorConformance({
  command: [process.execPath, '--conditions=@weir/source', PROGRAM],
  config: { urls: [at('/conforming.csv'), at('/conforming.jsonl.gz')] },
  badConfig: { url: at('/nowhere.csv') },
})) {
  t.test(`for files behind addresses: ${name}`, check);
}
t.teardown(() => {
  for (const name of Object.keys(operator)) delete process.env[name];
});

t.test('files of every format and packing are read from addresses, each stream by its file names', async (t) => {
  const dir = await folder();
  await parquet(join(dir, 'p.parquet'), 'SELECT 9007199254740993 AS v');
  answers.set('/p.parquet', file(await readFile(join(dir, 'p.parquet'))));
  answers.set('/x/c%201.csv', file('v\n1\n'));
  answers.set('/y/c%202.csv.zst', file(zstdCompressSync('v\n2\n')));
  answers.set('/j.json', file('[{"v":3}]'));
  answers.set('/coded.csv', file(gzipSync('v\n4\n'), { 'content-encoding': 'gzip' }));
  answers.set('/twice.csv.gz', file(gzipSync('v\n5\n'), { 'content-encoding': 'gzip' }));
  answers.set('/export', file('v\n6\n'));
  answers.set('/moved.csv', (_request, response) => response.writeHead(302, { location: '/x/c%201.csv' }).end());
  const paths = ['/p.parquet', '/x/c%201.csv', '/y/c%202.csv.zst', '/j.json', '/coded.csv', '/twice.csv.gz'];
  const said = await read({ urls: paths.map(at) });
  t.equal(said.code, 0);
  t.strictSame(
    said.messages.flatMap(({ record }) => (record === undefined ? [] : [[record.stream, record.data.v]])),
    [
      ['c 1', 1],
      ['c 2', 2],
      ['coded', 4],
      ['j', 3],
      ['p', Number('9007199254740993')],
      ['twice', 5],
    ],
  );
  const streams = [{ name: 'all', glob: 'c *' }];
  t.strictSame(dataOf(await read({ urls: paths.map(at), streams })), [{ v: 1 }, { v: 2 }]);
  t.strictSame(dataOf(await read({ url: at('/export?format=csv'), format: 'csv' })), [{ v: 6 }]);
  t.strictSame(dataOf(await read({ url: at('/moved.csv') })), [{ v: 1 }]);
});

t.test('a file that the server calls unchanged, or whose content is, is not read again', async (t) => {
  let content = 'v\n1\n';
  const kinds: Record<string, Record<string, string>> = {
    '/etag.csv': { etag: '"1"' },
    '/date.csv': { 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' },
    '/bare.csv': {},
  };
  for (const [path, headers] of Object.entries(kinds)) {
    answers.set(path, (request, response) => {
      const same = headers.etag ?? headers['last-modified'];
      const known = request.headers['if-none-match'] ?? request.headers['if-modified-since'];
      if (content === 'v\n1\n' && known !== undefined && known === same) response.writeHead(304).end();
      else response.writeHead(200, content === 'v\n1\n' ? headers : { etag: '"2"' }).end(content);
    });
    const config = { url: at(`${path}?token=canary`) };
    content = 'v\n1\n';
    const catalog = configured(await discover(config));
    const first = await read(config, catalog);
    t.strictSame(dataOf(first), [{ v: 1 }], path);
    t.notMatch(JSON.stringify(first.messages), /canary/);
    const again = await read(config, catalog, statesOf(first));
    t.strictSame([again.code, dataOf(again)], [0, []], path);
    content = 'v\n1\n2\n';
    const grown = await read(config, catalog, statesOf(again));
    t.strictSame(dataOf(grown), [{ v: 2 }], 'only the rows that were added');
    content = 'v\n3\n';
    t.strictSame(dataOf(await read(config, catalog, statesOf(grown))), [{ v: 3 }], path);
  }
});

t.test('an answer that is not the file is told by its code, without the address or what the server said', async (t) => {
  const catalog = configured({ streams: [{ name: 'a', json_schema: { type: 'object', properties: { v: {} } } }] });
  const status =
    (code: number): Answer =>
    (_request, response) =>
      response.writeHead(code).end('canary');
  const cases: readonly (readonly [answer: Answer, code: string, type: string])[] = [
    [status(404), 'address_not_found', 'config_error'],
    [status(410), 'address_not_found', 'config_error'],
    [status(401), 'address_forbidden', 'config_error'],
    [status(403), 'address_forbidden', 'config_error'],
    [status(500), 'server_failed', 'transient_error'],
    [status(503), 'server_failed', 'transient_error'],
    [status(429), 'server_failed', 'transient_error'],
    [status(204), 'answer_invalid', 'config_error'],
    [status(304), 'answer_invalid', 'config_error'],
    [status(418), 'answer_invalid', 'config_error'],
    [file('v\n1\n', { 'content-encoding': 'br' }), 'answer_invalid', 'config_error'],
    [file('v\n1\n', { 'content-encoding': 'constructor' }), 'answer_invalid', 'config_error'],
    [file('v\n1\n', { 'content-encoding': 'gzip' }), 'packing_damaged', 'config_error'],
    [
      (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/canary' }).end(),
      'address_refused',
      'config_error',
    ],
    [
      (_request, response) => response.writeHead(302, { location: '/canary/a.csv' }).end(),
      'answer_invalid',
      'config_error',
    ],
    [
      (_request, response) => response.writeHead(200, { 'content-length': '99' }).write('v\n') && response.destroy(),
      'download_broken',
      'transient_error',
    ],
    [(_request, response) => response.destroy(), 'download_broken', 'transient_error'],
    [file(gzipSync(Buffer.alloc(40 << 20)), { 'content-encoding': 'gzip' }), 'unpacked_too_large', 'config_error'],
  ];
  for (const [answer, code, type] of cases) {
    answers.set('/canary/a.csv', answer);
    const said = await read({ url: at('/canary/a.csv?canary') }, catalog);
    t.equal(said.code, 1);
    t.match(errorOf(said), { internal_message: code, failure_type: type, hint: /^a\.csv.*: ./ }, code);
    t.strictSame(statesOf(said), []);
    t.notMatch(JSON.stringify(said.messages), /canary|127\.0/);
  }
  for (const [url, code] of [
    ['ftp://127.0.0.1/a.csv', 'address_invalid'],
    [`http://canary:canary@127.0.0.1:${port}/a.csv`, 'address_invalid'],
    ['http://10.0.0.1/a.csv', 'address_refused'],
    ['http://127.0.0.1:22/a.csv', 'address_refused'],
    ['http://canary.invalid/a.csv', 'server_unreachable'],
  ] as const) {
    const said = await run('discover', { config: { url } });
    t.match(errorOf(said), { internal_message: code }, url);
    t.notMatch(JSON.stringify(said.messages), /canary|127\.0/);
  }
});

t.test('a server that answers slowly for ever, or sends for ever, is left by its code', async (t) => {
  t.teardown(() => {
    bounds.current = {};
  });
  const dripping: Answer = (_request, response) => {
    const drip = async () => {
      while (!response.destroyed) {
        response.write('x');
        await pace(5);
      }
    };
    void drip();
  };
  for (const [answer, bound, code] of [
    [() => undefined, { headersMs: 50 }, 'server_too_slow'],
    [(_request: IncomingMessage, response: ServerResponse) => response.write('v'), { idleMs: 50 }, 'server_too_slow'],
    [dripping, { rateGraceMs: 50, minBytesPerSecond: 100_000 }, 'server_too_slow'],
    [dripping, { totalMs: 80 }, 'server_too_slow'],
    [dripping, { maxBytes: 3 }, 'file_too_large'],
  ] as const) {
    bounds.current = bound;
    answers.set('/slow.csv', answer);
    t.equal(await discover({ url: at('/slow.csv') }), code, JSON.stringify(bound));
  }
});

t.test(
  'a check asks for a byte of each file and takes no more; nothing stays behind in the temporary folder',
  async (t) => {
    answers.set('/big.csv', (request, response) => {
      t.equal(request.headers.range, 'bytes=0-0');
      response.writeHead(206).end('v');
    });
    const temporary = await ownTemporaryFolder(t);
    const said = await run('check', { config: { url: at('/big.csv') } });
    t.match(said.messages, [{ connectionStatus: { status: 'SUCCEEDED' } }]);
    answers.set('/bad.csv', file('v\n1,2\n'));
    await read({ url: at('/bad.csv') });
    const left = await readdir(temporary);
    t.not(left.length, 0, 'what the connector is given lies there');
    t.strictSame(
      left.filter((name) => name.startsWith('file-')),
      [],
    );
  },
);
