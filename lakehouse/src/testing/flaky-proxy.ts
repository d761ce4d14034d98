import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What goes wrong with a request: `refuse` and `cut` before the server sees it (503, or the connection ends),
 * `refuse_after` and `cut_after` once it was served, `truncate` halfway through the answer's body, `late`: cut, and
 * served only when `deliver` is called.
 */
export type Fault = 'refuse' | 'cut' | 'refuse_after' | 'cut_after' | 'truncate' | 'late';

export type ProxiedRequest = { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders };

export type FlakyProxy = {
  readonly url: string;
  /** Requests seen so far. */
  readonly seen: readonly ProxiedRequest[];
  /** Decides about each request from now on; nothing goes wrong at first. */
  choose(fault: (request: ProxiedRequest) => Fault | undefined): void;
  /** Serves the requests that came late, in their order. */
  deliver(): Promise<void>;
  close(): Promise<void>;
};

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Serves a request as it came: its `host` header is part of what S3 signatures cover. */
async function forward(target: string, { method, path, headers }: ProxiedRequest, body: Buffer): Promise<Answer> {
  const sent = request(new URL(path, target), { method, headers: { ...headers, connection: 'close' } });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bodyOf(answer) };
}

function reply(response: ServerResponse, { status, headers, body }: Answer, fault: Fault | undefined): void {
  const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = headers;
  // The answer to HEAD names the length of a body that it does not have.
  response.writeHead(status, { ...kept, 'content-length': kept['content-length'] ?? String(body.length) });
  if (fault !== 'truncate') return void response.end(body);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

/** A proxy on 127.0.0.1 before an HTTP service, in which answers get lost the way a test wants it. */
export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const seen: ProxiedRequest[] = [];
  const late: (() => Promise<unknown>)[] = [];
  let choose: (request: ProxiedRequest) => Fault | undefined = () => undefined;

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = { method: incoming.method ?? 'GET', path: incoming.url ?? '/', headers: incoming.headers };
    // The decision is made before the body came, so that requests are judged in the order of their arrival.
    const fault = choose(asked);
    seen.push(asked);
    const body = await bodyOf(incoming);
    if (fault === 'cut' || fault === 'late') {
      if (fault === 'late') late.push(() => forward(target, asked, body));
      return void response.destroy();
    }
    if (fault === 'refuse') return void response.writeHead(503).end();
    const answer = await forward(target, asked, body);
    if (fault === 'cut_after') return void response.destroy();
    if (fault === 'refuse_after') return void response.writeHead(503).end();
    reply(response, answer, fault);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    choose(fault) {
      choose = fault;
    },
    async deliver() {
      for (const send of late.splice(0)) await send();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
