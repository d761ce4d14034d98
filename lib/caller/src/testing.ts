import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallerCode } from './caller-error.ts';

/** A service that fails in one way, and what a caller with a bound of a megabyte makes of it: a code or a status. */
export interface ServiceFault {
  readonly name: string;
  readonly base: string;
  readonly outcome: CallerCode | number;
}

export interface FaultyService {
  readonly faults: readonly ServiceFault[];
  /** Requests that arrived, as `<method> <path>`. */
  readonly seen: readonly string[];
  close(): Promise<void>;
}

type Behaviour = (request: IncomingMessage, answer: ServerResponse) => unknown;

/** Text that a service echoes, as careless ones do; it belongs into no error and no log. */
export const ECHOED = 'CNRY-echo';

const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  ({ headers: { authorization, 'x-api-key': key } }, answer) =>
    answer.writeHead(status, headers).end(JSON.stringify({ detail: `${ECHOED} ${authorization} ${key}` }));

function endless(_request: IncomingMessage, answer: ServerResponse): void {
  const more = () => answer.write('x'.repeat(64 * 1024)) && !answer.destroyed && setImmediate(more);
  answer.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
  more();
}

const SERVED: readonly [name: string, outcome: CallerCode | number, does: Behaviour][] = [
  ['hangs', 'timed_out', () => undefined],
  ['closes the connection', 'connection_lost', (request) => request.socket.destroy()],
  [
    'breaks off its answer',
    'connection_lost',
    (_request, answer) => answer.writeHead(200, { 'content-length': 500 }).write('{"', () => answer.destroy()),
  ],
  ['answers without an end', 'answer_too_large', endless],
  [
    'announces a large answer',
    'answer_too_large',
    (_, answer) => answer.writeHead(200, { 'content-length': 2 ** 40 }).write('{'),
  ],
  ['answers with other than JSON', 'answer_invalid', (_, answer) => answer.end(`<html>${ECHOED}</html>`)],
  ['redirects', 302, answers(302, { location: 'http://127.0.0.1:1/' })],
  ['does not know the key', 401, answers(401)],
  ['forbids', 403, answers(403)],
  ['is something else', 404, answers(404)],
  ['limits the rate', 429, answers(429, { 'retry-after': '1' })],
  ['fails', 500, answers(500)],
  ['is overloaded', 503, answers(503)],
];

/** One server for all faults of an answer, by the path of their base, and addresses for those of a connection. */
export async function startFaultyService(): Promise<FaultyService> {
  const seen: string[] = [];
  const server = createServer((request, answer) => {
    seen.push(`${request.method} ${request.url}`);
    const at = Number(request.url?.split('/')[1]);
    SERVED[at]?.[2](request, answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    faults: [
      { name: 'is not there', base: 'http://127.0.0.1:1', outcome: 'address_unreachable' },
      { name: 'has an unknown name', base: 'https://weir.invalid', outcome: 'address_unreachable' },
      { name: 'does not speak TLS', base: `https://${address}`, outcome: 'tls_failed' },
      ...SERVED.map(([name, outcome], at) => ({ name, outcome, base: `http://${address}/${at}` })),
    ],
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
