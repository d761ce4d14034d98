import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Test } from 'tap';

/** One answer of the fake: a status and a body, or a function of the request. */
export type Answer = { status: number; body?: unknown; raw?: string; headers?: Record<string, string> };
export type Routes = Record<string, Answer | ((request: { url: URL; body: unknown }) => Answer)>;

export interface FakeApi {
  url: string;
  /** Every request: `METHOD /path`, headers and parsed body. */
  seen: { call: string; url: URL; headers: IncomingMessage['headers']; body: unknown }[];
  stop(): Promise<void>;
}

/** A problem document as the platform writes it. */
export const problem = (status: number, code: string, more: object = {}): Answer => ({
  status,
  body: {
    type: `/docs/errors/${code}`,
    title: code,
    status,
    detail: `Detail of ${code}.`,
    code,
    trace_id: 'abc123',
    ...more,
  },
});

/** The API as a port: answers `METHOD /path` from a table, anything else with 404 not_found. */
export async function fakeApi(t: Test, routes: Routes): Promise<FakeApi> {
  const seen: FakeApi['seen'] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    const call = `${request.method} ${url.pathname}`;
    seen.push({ call, url, headers: request.headers, body });
    const route = routes[call] ?? problem(404, 'not_found');
    send(response, typeof route === 'function' ? route({ url, body }) : route);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  t.teardown(stop);
  return { url: `http://127.0.0.1:${address.port}`, seen, stop };
}

function send(response: ServerResponse, { status, body, raw, headers }: Answer): void {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(raw ?? (body === undefined ? '' : JSON.stringify(body)));
}
