import { CallerError } from '@weir/caller';
import { assertSecretPath, type SecretPath, type SecretStore, storable } from '../secret-store.ts';
import { type SecretValues, secretValues } from '../secret-values.ts';
import { VaultError } from '../vault-error.ts';
import { bodyOf, faultOf, isSealed, says } from './answers.ts';
import type { Exchange, StoreAnswer, StoreRequest } from './exchange.ts';
import type { StoreSession } from './session.ts';

/** Load balancers ask whether the platform is ready, and a store that hangs must not make them take it for dead. */
const PING_MS = 2_000;

export interface KvStoreDeps {
  readonly exchange: Exchange;
  readonly session: StoreSession;
  /** Name of the mount, one segment. */
  readonly mount: string;
}

/** A KV store of version 2; beside its port it can be asked whether it takes a write that names no version. */
export interface KvSecretStore extends SecretStore {
  /** Tries a write that does not say which version it follows; a mount as it must be refuses it. */
  takesBlindWrites(path: SecretPath): Promise<boolean>;
}

/** The store behind an OpenBao or Vault server: `<mount>/data/src/<tenant>/<credential>`, nothing else is ever asked. */
export function kvSecretStore({ exchange, session, mount }: KvStoreDeps): KvSecretStore {
  const pathOf = (path: SecretPath) => {
    assertSecretPath(path);
    return `${mount}/data/src/${path.tenantId}/${path.credentialId}`;
  };
  const ask = async (request: Omit<StoreRequest, 'token'>): Promise<StoreAnswer> => {
    const token = await session.token();
    const answer = await exchange({ ...request, token });
    if (answer.status !== 403) {
      session.accepted(token);
      return answer;
    }
    const other = await session.instead(token);
    if (other === undefined) return answer;
    const again = await exchange({ ...request, token: other });
    if (again.status !== 403) session.accepted(other);
    return again;
  };
  const read = async (path: string): Promise<{ version: number; values: SecretValues } | undefined> => {
    const answer = await ask({ method: 'GET', path }).catch(unavailable);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw faultOf(answer);
    return valuesOf(answer);
  };
  let pinging: Promise<boolean> | undefined;
  return {
    async write(path, after, values) {
      const body = { options: { cas: after }, data: storable(values) };
      const answer = await ask({ method: 'POST', path: pathOf(path), body }).catch(unknown);
      if (answer.status === 200) return writtenVersion(answer, after);
      if (answer.status === 400 && says(answer, 'did not match')) throw new VaultError('version_conflict');
      if (answer.status >= 500 && !isSealed(answer)) throw new VaultError('outcome_unknown', 'answered_5xx');
      throw faultOf(answer);
    },
    async read(path, version) {
      const found = await read(`${pathOf(path)}?version=${exactly(version)}`);
      if (found === undefined) throw new VaultError('version_missing');
      if (found.version !== version) throw new VaultError('store_unavailable', 'answer_invalid');
      return found.values;
    },
    current: (path) => read(pathOf(path)),
    ping() {
      pinging ??= isWell(exchange, session).finally(() => {
        pinging = undefined;
      });
      return inTime(pinging);
    },
    async takesBlindWrites(path) {
      const answer = await ask({ method: 'POST', path: pathOf(path), body: { data: {} } }).catch(unavailable);
      if (answer.status === 200) return true;
      if (answer.status === 400 && says(answer, 'check-and-set')) return false;
      throw faultOf(answer);
    },
  };
}

async function isWell(exchange: Exchange, session: StoreSession): Promise<boolean> {
  try {
    await session.token();
    return (await exchange({ method: 'GET', path: 'sys/health?standbyok=true' })).status === 200;
  } catch {
    return false;
  }
}

/** False when it takes longer than those who ask may wait. */
async function inTime(well: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), PING_MS);
  return Promise.race([well, late.promise]).finally(() => clearTimeout(timer));
}

/** Nothing was to be changed, so a lost answer means no more than that there is none. */
function unavailable(cause: unknown): never {
  throw cause instanceof CallerError ? new VaultError('store_unavailable', cause.code) : cause;
}

function unknown(cause: unknown): never {
  if (!(cause instanceof CallerError)) throw cause;
  throw new VaultError(cause.sent ? 'outcome_unknown' : 'store_unavailable', cause.code);
}

/** Version 0 would be the newest one. */
function exactly(version: number): number {
  if (!Number.isSafeInteger(version) || version < 1) throw new VaultError('version_missing');
  return version;
}

/** A version that the store itself would take away again is none to refer to. */
function assertLasting(deletionTime: unknown): void {
  if (deletionTime !== '') throw new VaultError('store_refused', 'versions_expire');
}

function writtenVersion(answer: StoreAnswer, after: number): number {
  const { version, deletion_time } = bodyOf(answer).data ?? {};
  if (version !== after + 1) throw new VaultError('outcome_unknown', 'answer_invalid');
  assertLasting(deletion_time);
  return version;
}

function valuesOf(answer: StoreAnswer): { version: number; values: SecretValues } {
  const { data, metadata } = bodyOf(answer).data ?? {};
  const version = metadata?.version;
  if (typeof version !== 'number' || typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new VaultError('store_unavailable', 'answer_invalid');
  }
  assertLasting(metadata?.deletion_time);
  return { version, values: secretValues(Object.entries(data)) };
}
