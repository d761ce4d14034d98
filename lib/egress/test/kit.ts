import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { connect } from '../src/connect.ts';
import { type Connect, createEgress, EgressError, type EgressOptions, type OpenOptions } from '../src/index.ts';

/** An address that stands for the public internet. Nothing is ever sent there: the tests' connections stay here. */
export const PUBLIC = '93.184.215.14';

/** Starts a server on loopback for the length of the test file and gives its port. */
export async function listening(server: TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    if ('closeAllConnections' in server) (server as Server).closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

export const serving = (answer: RequestListener): Promise<number> => listening(createServer(answer));

/** A connector that records every address it is asked for, goes to loopback, and claims to have reached the address. */
export function recorded(dialled: string[]): Connect {
  return async (target, signal) => {
    dialled.push(target.address);
    const socket = await connect({ ...target, address: '127.0.0.1' }, signal);
    Object.defineProperty(socket, 'remoteAddress', { value: target.address });
    return socket;
  };
}

/** A client that may reach loopback, on the given ports. */
export const local = (ports: number[], more: EgressOptions = {}) =>
  createEgress({ allowPrivate: ['127.0.0.0/8'], ports, ...more });

/** The code with which opening or reading an address fails; its body's text when nothing does. */
export async function outcome(
  egress: ReturnType<typeof createEgress>,
  url: string,
  how?: OpenOptions,
): Promise<string> {
  try {
    const { body } = await egress.open(url, how);
    return `read: ${await text(body)}`;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.code;
  }
}
