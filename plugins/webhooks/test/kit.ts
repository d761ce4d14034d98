import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Teardown } from '@weir/kernel/testing';

/** One request that a receiver has got. */
export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  body: Record<string, unknown> & { event_id: string; sequence: string; type: string };
}

export interface Receiver {
  url: string;
  port: number;
  got: Received[];
}

/** A server of its own on loopback; `answer` says the status of each request. */
export async function receiver(
  t: Teardown,
  answer: (request: Received, response: ServerResponse) => number = () => 204,
): Promise<Receiver> {
  const got: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const received = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
    const status = answer(received, response);
    got.push(received);
    response.statusCode = status;
    response.end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?token=in-the-address`, port, got };
}

/** Whether a request was signed with the secret, as a receiver checks it. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const [, time, digest] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(headers['x-weir-signature'])) ?? [];
  return digest === createHmac('sha256', secret).update(`${time}.${text}`).digest('hex');
}
