import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
export const CA = fixture('ca.pem');

/** What a store does with a request of a secret; a login it answers as it should. */
export type Behaviour = (request: IncomingMessage, answer: ServerResponse) => unknown;

interface Teardown {
  teardown(end: () => unknown): unknown;
}

/** Reads the whole body first, as a store does that takes a write and then loses its answer. */
export const after =
  (behaviour: Behaviour): Behaviour =>
  async (request, answer) => {
    await request.toArray();
    await behaviour(request, answer);
  };

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (_request, answer) => {
    answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** A store of TLS on 127.0.0.1 that behaves as it is told; tells every path that was asked. */
export async function hostileStore(t: Teardown, behaviour: Behaviour): Promise<{ origin: URL; asked: string[] }> {
  const asked: string[] = [];
  const login = json(200, { auth: { client_token: 'CNRY-token', lease_duration: 1200 } });
  const server = createServer({ cert: fixture('cert.pem'), key: fixture('key.pem') }, (request, answer) => {
    asked.push(`${request.method} ${request.url}`);
    void (request.url?.endsWith('/login') ? after(login) : behaviour)(request, answer);
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`), asked };
}
