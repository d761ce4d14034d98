import { RunLogError } from '../run-log-error.ts';

const PUSH_WITHIN_MS = 10_000;
const ASK_WITHIN_MS = 30_000;
/** An answer holds a page of lines, each of a bounded size. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** The same request may pass later. */
const PASSING: readonly number[] = [408, 429];

export interface LokiOptions {
  /** Base URL, to which `/loki/api/v1` is added. */
  readonly url: string;
  readonly token?: string | undefined;
}

/** The calls of Loki's HTTP API that a store needs, each for one tenant. All failures are a `RunLogError`. */
export interface LokiClient {
  push(tenantId: string, streams: object): Promise<void>;
  get(
    tenantId: string,
    path: 'query' | 'query_range',
    query: Readonly<Record<string, string>>,
    withinMs?: number,
  ): Promise<unknown>;
  remove(tenantId: string, query: Readonly<Record<string, string>>): Promise<void>;
}

export function lokiClient({ url, token }: LokiOptions): LokiClient {
  const base = `${url.replace(/\/+$/, '')}/loki/api/v1`;
  const send = async (tenantId: string, path: string, init: RequestInit & { within: number }): Promise<Response> => {
    const headers = {
      'content-type': 'application/json',
      'x-scope-orgid': tenantId,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const signal = AbortSignal.timeout(init.within);
    const answer = await fetch(`${base}/${path}`, { ...init, headers, signal, redirect: 'error' }).catch(
      (cause: unknown) => {
        throw new RunLogError('unavailable', 'the log store does not answer', { cause });
      },
    );
    if (answer.ok) return answer;
    await answer.body?.cancel();
    const isPassing = answer.status >= 500 || PASSING.includes(answer.status);
    throw new RunLogError(isPassing ? 'unavailable' : 'refused', `the log store answered ${answer.status}`);
  };
  const asked = (path: string, query: Readonly<Record<string, string>>) => `${path}?${new URLSearchParams(query)}`;
  return {
    async push(tenantId, streams) {
      const body = JSON.stringify({ streams });
      await drained(await send(tenantId, 'push', { method: 'POST', body, within: PUSH_WITHIN_MS }));
    },
    async get(tenantId, path, query, withinMs = ASK_WITHIN_MS) {
      return answered(await send(tenantId, asked(path, query), { within: withinMs }));
    },
    async remove(tenantId, query) {
      await drained(await send(tenantId, asked('delete', query), { method: 'POST', within: ASK_WITHIN_MS }));
    },
  };
}

async function drained(answer: Response): Promise<void> {
  await answer.body?.cancel();
}

/** The answer as JSON; one that is too long, or none, is a store that does not work. */
async function answered(answer: Response): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of answer.body ?? []) {
      bytes += part.byteLength;
      if (bytes > MAX_ANSWER_BYTES) throw new RunLogError('unavailable', 'the log store answered too much');
      parts.push(part);
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch (cause) {
    if (cause instanceof RunLogError) throw cause;
    throw new RunLogError('unavailable', 'the log store answered nothing that can be read', { cause });
  }
}
