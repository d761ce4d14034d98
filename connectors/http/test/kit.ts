import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runSource } from '@weir/connector-sdk';
import { createEgress } from '@weir/egress';
import t from 'tap';
import { httpSource } from '../src/http-source.ts';
import { sayRotated, sayWait } from '../src/say-message.ts';

export const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
export type Answered = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
};
export type Api = (asked: Asked) => Answered;

/** An API for the length of the test file; `asked` lists what it was asked. */
export async function serve(initial: Api = () => ({ status: 404 })) {
  const state = { api: initial, asked: [] as Asked[] };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const { method = 'GET', headers } = request;
    const asked = { method, path: url.pathname, query: url.searchParams, headers, body: await text(request) };
    state.asked.push(asked);
    const { status = 200, headers: own = {}, json, body = JSON.stringify(json) } = state.api(asked);
    response.writeHead(status, { 'content-type': 'application/json', ...own }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { port, url: `http://127.0.0.1:${port}` });
}

/** Waits that were asked for, in milliseconds; none of them is waited. */
export const waits: number[] = [];
let clock = Date.UTC(2024, 5, 1);
/** The time that the connector sees: it goes on by what is waited for. */
export const at = { now: () => clock };

export type Said = { code: number; messages: ReturnType<typeof JSON.parse>[]; raw: string };

/** Runs one verb of the connector in this process; `ports` are open to it. */
export async function run(verb: string, inputs: Readonly<Record<string, unknown>>, ports: number[]): Promise<Said> {
  const dir = await mkdtemp(join(tmpdir(), 'http-'));
  const argv = [verb];
  for (const [name, value] of Object.entries(inputs)) {
    await writeFile(join(dir, name), typeof value === 'string' ? value : JSON.stringify(value));
    argv.push(`--${name}`, join(dir, name));
  }
  const stdout = new PassThrough();
  const said = text(stdout);
  const source = httpSource({
    egress: () => createEgress({ allowPrivate: ['127.0.0.0/8'], ports }),
    now: at.now,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      clock += ms;
    },
    onWait: sayWait(stdout),
    onRotated: sayRotated(stdout, at.now),
  });
  const code = await runSource(source, argv, { stdout, stderr: new PassThrough().resume() });
  stdout.end();
  await rm(dir, { recursive: true, force: true });
  const raw = await said;
  const messages = raw
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { code, messages, raw };
}

/** A manifest of one stream. */
export function manifest(stream: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) {
  return {
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['items'] },
    spec: { type: 'Spec', connection_specification: { type: 'object', additionalProperties: true } },
    streams: [{ type: 'DeclarativeStream', name: 'items', ...stream }],
    ...more,
  };
}

/** A retriever of `/items` whose records stand under `data`. */
export function retriever(
  requester: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, unknown>> = {},
) {
  return {
    type: 'SimpleRetriever',
    requester: { type: 'HttpRequester', url_base: "{{ config['url'] }}", path: '/items', ...requester },
    record_selector: { type: 'RecordSelector', extractor: { type: 'DpathExtractor', field_path: ['data'] } },
    ...more,
  };
}

export const configOf = (url: string, given: unknown, more: object = {}) => ({
  url,
  ...more,
  __injected_declarative_manifest: given,
});

export function configured(catalog: { streams: object[] }, sync_mode = 'incremental') {
  return { streams: catalog.streams.map((stream) => ({ stream, sync_mode, destination_sync_mode: 'append' })) };
}

/** Reads streams by their names, without a discovery before. */
export function read(config: unknown, port: number, { names = ['items'], state = [] as unknown[] } = {}) {
  const streams = names.map((name) => ({
    name,
    json_schema: {},
    supported_sync_modes: ['full_refresh', 'incremental'],
  }));
  return run('read', { config, catalog: configured({ streams }), state }, [port]);
}

export const dataOf = ({ messages }: Said) => messages.filter((m) => m.type === 'RECORD').map((m) => m.record.data);
export const statesOf = ({ messages }: Said) => messages.filter((m) => m.type === 'STATE').map((m) => m.state);
export const lastStates = (said: Said) => [
  ...new Map(statesOf(said).map((state) => [state.stream.stream_descriptor.name, state])).values(),
];
export const errorOf = ({ messages }: Said) => messages.find((m) => m.trace?.type === 'ERROR')?.trace.error;
