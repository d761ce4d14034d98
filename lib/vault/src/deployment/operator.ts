import { CallerError } from '@weir/caller';
import { bodyOf, faultOf } from '../kv/answers.ts';
import type { Exchange, StoreRequest } from '../kv/exchange.ts';
import { VaultError } from '../vault-error.ts';

/** Asks with the operator's token; undefined when that token may not, or nothing is there. Throws `VaultError`. */
export type AskAsOperator = (request: Omit<StoreRequest, 'token'>) => Promise<Record<string, unknown> | undefined>;

export function operatorOf(exchange: Exchange, token: string): AskAsOperator {
  return async (request) => {
    const answer = await exchange({ ...request, token }).catch((cause) => {
      throw cause instanceof CallerError ? new VaultError('store_unavailable', cause.code) : cause;
    });
    if (answer.status === 204) return {};
    if (answer.status === 200) return (bodyOf(answer).data as Record<string, unknown> | undefined) ?? {};
    if ([400, 403, 404].includes(answer.status)) return undefined;
    throw faultOf(answer);
  };
}
