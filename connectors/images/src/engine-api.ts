import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const ANSWER_TIMEOUT_MS = 120_000;

export type EngineAnswer = { readonly status: number; readonly text: string };

export type EngineRequest = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readable | string;
};

/** One request through an engine's socket, the answer read whole. Rejects when nobody answers. */
export async function askEngine(socketPath: string, asked: EngineRequest): Promise<EngineAnswer> {
  const { method = 'GET', path, headers = {}, body } = asked;
  const options: RequestOptions = { socketPath, method, path, headers, timeout: ANSWER_TIMEOUT_MS, agent: false };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(options, resolve);
  sent.once('timeout', () => sent.destroy(new Error(`the engine does not answer ${method} ${path}`)));
  sent.once('error', reject);
  if (body === undefined || typeof body === 'string') sent.end(body);
  else pipeline(body, sent).catch(reject);
  const answer = await promise;
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode ?? 0, text };
}

/**
 * The objects of an answer that is a line of progress after another. Throws when the engine refuses, at once or, with
 * status 200, in one of its lines.
 */
export function progressOf({ status, text }: EngineAnswer, what: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const refusal = said.find((line) => line.error !== undefined || (status >= 300 && line.message !== undefined));
  if (status >= 300 || refusal !== undefined) {
    throw new Error(`the engine cannot ${what}: ${String(refusal?.error ?? refusal?.message ?? status)}`);
  }
  return said;
}

/** The JSON of an answer; `body` is sent as JSON. Throws what the engine says when it refuses. */
export async function engineJson<T = Record<string, never>>(
  socketPath: string,
  asked: { readonly method?: string; readonly path: string; readonly body?: object },
): Promise<T> {
  const { body, ...rest } = asked;
  const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const { status, text } = await askEngine(socketPath, { ...rest, ...sent });
  if (status >= 300) throw new Error(`the engine answers ${status} to ${asked.path}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as T;
}
