import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { VaultReason } from '../vault-error.ts';

/** For one request as a whole, from the connection to the last byte; at most four follow each other in one call. */
const EXCHANGE_MS = 5_000;
const MAX_CONNECTIONS = 16;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

export interface StoreRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/v1/`; made of names that were checked. */
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/** What came back; `body` is undefined when it is empty or no JSON. */
export interface StoreAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A request without an answer. When `sent` is false, the store has seen nothing of it. */
export class Unanswered extends Error {
  readonly reason: VaultReason;
  readonly sent: boolean;

  constructor(reason: VaultReason, sent: boolean) {
    super('the secret store gave no answer');
    this.reason = reason;
    this.sent = sent;
  }
}

/** Asks the store once: no redirect is followed and nothing is tried again. Throws `Unanswered`. */
export type Exchange = (request: StoreRequest) => Promise<StoreAnswer>;

export interface StoreServer {
  readonly origin: URL;
  /** Certificates in PEM, beside which no other authority is believed; the system's when absent. */
  readonly ca?: string;
  readonly exchangeMs?: number;
}

/**
 * Each exchange has a connection of its own: one that was kept open may be closed by the store at the moment of a write,
 * and then nobody could say whether the write was seen.
 */
export function createExchange({ origin, ca, exchangeMs = EXCHANGE_MS }: StoreServer): Exchange {
  const bounds = { keepAlive: false, maxSockets: MAX_CONNECTIONS };
  const secure = origin.protocol === 'https:';
  const agent = secure
    ? new HttpsAgent({ ...bounds, rejectUnauthorized: true, ...(ca && { ca }) })
    : new HttpAgent(bounds);
  const open = secure ? httpsRequest : httpRequest;
  return async ({ method, path, token, body }) => {
    const { promise, resolve, reject } = Promise.withResolvers<StoreAnswer>();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = open({
      ...{ agent, method, maxHeaderSize: MAX_HEADER_BYTES, path: `/v1/${path}` },
      ...{ host: origin.hostname.replace(/^\[|\]$/g, ''), port: origin.port || (secure ? 443 : 80) },
      headers: {
        ...{ host: origin.host, accept: 'application/json', connection: 'close', 'x-vault-request': 'true' },
        ...(token !== undefined && { 'x-vault-token': token }),
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    let [reached, sent] = [false, false];
    const fail = (reason: VaultReason) => {
      reject(new Unanswered(reason, sent));
      request.destroy();
    };
    const timer = setTimeout(() => fail('timed_out'), exchangeMs);
    request.once('socket', (socket) => {
      socket.once('connect', () => {
        reached = true;
        sent = !secure;
      });
      socket.once('secureConnect', () => {
        sent = true;
      });
    });
    request.once('response', (answer) => void readAnswer(answer).then(resolve, fail));
    request.on('error', () => fail(sent ? 'connection_lost' : reached ? 'tls_failed' : 'address_unreachable'));
    request.end(text);
    return promise.finally(() => clearTimeout(timer));
  };
}

/** Rejects with a reason. */
async function readAnswer(answer: IncomingMessage): Promise<StoreAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw 'connection_lost' satisfies VaultReason;
  }
  if (size > MAX_ANSWER_BYTES) throw 'answer_too_large' satisfies VaultReason;
  return { status: answer.statusCode ?? 0, body: parsed(Buffer.concat(chunks)) };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
