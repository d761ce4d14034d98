import { type Answer, type CallerRequest, createCaller, isTransient } from '@weir/caller';
import { RunLogError } from '../run-log-error.ts';

const PUSH_WITHIN_MS = 10_000;
const ASK_WITHIN_MS = 30_000;
/** An answer holds a page of lines, each of a bounded size. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

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
  const bounds = { timeoutMs: ASK_WITHIN_MS, maxBytes: MAX_ANSWER_BYTES, retries: 0 };
  const caller = createCaller({ base: `${url.replace(/\/+$/, '')}/loki/api/v1`, token: () => token, ...bounds });
  const ask = async (tenantId: string, request: CallerRequest): Promise<Answer> => {
    const answer = await caller.ask({ ...request, headers: { 'x-scope-orgid': tenantId } }).catch((cause: unknown) => {
      throw new RunLogError('unavailable', 'the log store does not answer', { cause });
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new RunLogError(isTransient(answer) ? 'unavailable' : 'refused', `the log store answered ${answer.status}`);
  };
  return {
    async push(tenantId, streams) {
      await ask(tenantId, { method: 'POST', path: '/push', json: { streams }, timeoutMs: PUSH_WITHIN_MS });
    },
    async get(tenantId, path, query, timeoutMs) {
      const answer = await ask(tenantId, { method: 'GET', path: `/${path}`, query, timeoutMs });
      try {
        return answer.json();
      } catch (cause) {
        throw new RunLogError('unavailable', 'the log store answered nothing that can be read', { cause });
      }
    },
    async remove(tenantId, query) {
      await ask(tenantId, { method: 'POST', path: '/delete', query });
    },
  };
}
