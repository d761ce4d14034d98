import { CallerError } from '@weir/caller';
import { readProtectedFile } from '../protected-file.ts';
import { VaultError } from '../vault-error.ts';
import { bodyOf, faultOf } from './answers.ts';
import type { Exchange } from './exchange.ts';

/** The identity of one service at the store, as AppRole has it. */
export interface RoleIdentity {
  readonly roleIdFile: string;
  readonly secretIdFile: string;
}

/** A token of the store and for how many milliseconds it is good. */
export interface StoreToken {
  readonly token: string;
  readonly lifeMs: number;
}

/** The service may read it, and its group, which brings it. */
export const IDENTITY_MODE = 0o440;
/** Longer leases are not used to their end. */
const MAX_LIFE_MS = 60 * 60_000;
const IDENTITY = /^[\x21-\x7e]+$/;

/**
 * Logs in with what the files hold at this moment: an operator exchanges a secret id by exchanging its file.
 * `store_refused` for files that are not as they must be and for an identity that is not known.
 */
export async function logIn(exchange: Exchange, identity: RoleIdentity): Promise<StoreToken> {
  const body = { role_id: identityIn(identity.roleIdFile), secret_id: identityIn(identity.secretIdFile) };
  const answer = await exchange({ method: 'POST', path: 'auth/approle/login', body }).catch((cause) => {
    throw cause instanceof CallerError ? new VaultError('store_unavailable', cause.code) : cause;
  });
  if (answer.status === 400 || answer.status === 403) throw new VaultError('store_refused', 'login_refused');
  if (answer.status !== 200) throw faultOf(answer);
  const { client_token: token, lease_duration: seconds } = bodyOf(answer).auth ?? {};
  if (typeof token !== 'string' || typeof seconds !== 'number')
    throw new VaultError('store_unavailable', 'answer_invalid');
  return { token, lifeMs: seconds > 0 ? Math.min(seconds * 1000, MAX_LIFE_MS) : MAX_LIFE_MS };
}

function identityIn(path: string): string {
  const file = readProtectedFile(path, IDENTITY_MODE);
  const text = 'fault' in file ? '' : file.bytes.toString('latin1').trim();
  if (!IDENTITY.test(text)) throw new VaultError('store_refused', 'identity_file');
  return text;
}
