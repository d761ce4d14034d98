import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands before a log store in a deployment: it wants a token. */
export interface Gateway {
  url: string;
  /** What the store has answered, each with how often. */
  answers: Map<number, number>;
  close(): Promise<void>;
}

/** Starts one on 127.0.0.1 that hands on what has the token, and answers 401 to the rest. */
export async function startGateway(store: string, token: string): Promise<Gateway> {
  const answers = new Map<number, number>();
  const server = createServer((asked, answer) => {
    if (asked.headers.authorization !== `Bearer ${token}`) {
      asked.resume();
      return answer.writeHead(401).end();
    }
    const { authorization: _, host: __, ...headers } = asked.headers;
    const onward = request(new URL(asked.url ?? '', store), { method: asked.method, headers }, (given) => {
      const status = given.statusCode ?? 502;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      given.pipe(answer.writeHead(status, given.headers));
    });
    onward.once('error', () => answer.destroy());
    return asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
