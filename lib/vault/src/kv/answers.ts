import { type VaultCode, VaultError, type VaultReason } from '../vault-error.ts';
import type { StoreAnswer } from './exchange.ts';

/** What we read of an answer; anything may be missing. */
interface AnswerBody {
  errors?: unknown;
  auth?: { client_token?: unknown; lease_duration?: unknown };
  data?: {
    version?: unknown;
    deletion_time?: unknown;
    data?: unknown;
    metadata?: { version?: unknown; deletion_time?: unknown };
  };
}

/** The body as the object that the store sends; its members are still to be checked. */
export function bodyOf({ body }: StoreAnswer): AnswerBody {
  return typeof body === 'object' && body !== null ? body : {};
}

/** The fault that a status other than 2xx and 404 stands for. */
export function faultOf(answer: StoreAnswer): VaultError {
  const [code, reason] = meaning(answer);
  return new VaultError(code, reason);
}

function meaning(answer: StoreAnswer): [VaultCode, VaultReason] {
  const { status } = answer;
  if (status >= 300 && status < 400) return ['store_refused', 'redirected'];
  if (status === 403) return ['store_refused', 'not_allowed'];
  if (isSealed(answer)) return ['store_unavailable', 'sealed'];
  // 429: a quota; 472 and 473: a standby that serves nobody.
  if (status >= 500 || [429, 472, 473].includes(status)) return ['store_unavailable', 'answered_5xx'];
  return ['store_refused', 'rejected'];
}

/** Sealed, it has not looked at the request. */
export function isSealed(answer: StoreAnswer): boolean {
  return answer.status === 503 && says(answer, 'sealed');
}

/** Whether a list of errors in the store's own words holds one; they are read and never passed on. */
export function says(answer: StoreAnswer, words: string): boolean {
  const { errors } = bodyOf(answer);
  return Array.isArray(errors) && errors.some((error) => String(error).includes(words));
}
