import { revealJson, type SecretValues } from './secret-values.ts';
import { VaultError } from './vault-error.ts';

/** Where a credential lies: both are ids of ours, and no other characters reach a path. */
export interface SecretPath {
  readonly tenantId: string;
  readonly credentialId: string;
}

/**
 * A store that keeps every version of a secret. All throw `VaultError`: `store_unavailable` when the same call may
 * succeed later, `store_refused` when somebody has to change something first.
 */
export interface SecretStore {
  /**
   * Writes the version that follows `after` (0: none yet) and answers its number, `after + 1`. `version_conflict` when
   * another was written meanwhile, and nothing is; `outcome_unknown` when the answer was lost: ask `current`.
   */
  write(path: SecretPath, after: number, values: SecretValues): Promise<number>;
  /** Exactly this version; `version_missing`. */
  read(path: SecretPath, version: number): Promise<SecretValues>;
  /** The newest version, for an unknown outcome; undefined where nothing was written. */
  current(path: SecretPath): Promise<{ version: number; values: SecretValues } | undefined>;
  /** Whether it answers and lets us in; told within two seconds, however many ask. */
  ping(): Promise<boolean>;
}

const ID = /^[0-9a-f-]{36}$/;
/** The longest credential that a store takes, in bytes of JSON. */
const MAX_VALUES_BYTES = 512 * 1024;

/** A fault of the caller's code, not of a user's input: ids are made by us. */
export function assertSecretPath({ tenantId, credentialId }: SecretPath): void {
  if (!ID.test(tenantId) || !ID.test(credentialId)) throw new TypeError('a secret lies below two ids');
}

/**
 * The fields as a store is given them. `store_refused` for values that would not come back as they are: more bytes than a
 * store takes, or half of a surrogate pair, which UTF-8 cannot say.
 */
export function storable(values: SecretValues): object {
  const text = revealJson(values);
  if (Buffer.byteLength(text) > MAX_VALUES_BYTES) throw new VaultError('store_refused', 'rejected');
  const fields = JSON.parse(text) as object;
  if (text.includes('\\ud') && !isText(fields)) throw new VaultError('store_refused', 'value_not_text');
  return fields;
}

function isText(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isText(inner));
}
