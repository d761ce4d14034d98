import { assertSecretPath, type SecretPath, type SecretStore, storable } from '../secret-store.ts';
import { readValues, type SecretValues } from '../secret-values.ts';
import { VaultError } from '../vault-error.ts';

/** A store in memory, and the ways in which a real one fails. */
export interface MemorySecretStore extends SecretStore {
  /** While set, every call fails as that of a sealed store does. */
  down: boolean;
  /** The next writes, as many as this, are done but their answers are lost. */
  loseAnswers: number;
  /** Every path that was written, with its number of versions. */
  written(): { path: SecretPath; versions: number }[];
}

/** Keeps every version; passes the conformance suite of a `SecretStore`. */
export function memorySecretStore(): MemorySecretStore {
  const kept = new Map<string, { path: SecretPath; versions: string[] }>();
  const at = (path: SecretPath) => {
    assertSecretPath(path);
    if (store.down) throw new VaultError('store_unavailable', 'sealed');
    const key = `${path.tenantId}/${path.credentialId}`;
    const found = kept.get(key) ?? { path, versions: [] };
    return { ...found, keep: () => void kept.set(key, found) };
  };
  const opened = (text: string): SecretValues => readValues(text) ?? new Map();
  const store: MemorySecretStore = {
    down: false,
    loseAnswers: 0,
    async write(path, after, values) {
      const { versions, keep } = at(path);
      if (versions.length !== after) throw new VaultError('version_conflict');
      versions.push(JSON.stringify(storable(values)));
      keep();
      if (store.loseAnswers > 0) {
        store.loseAnswers -= 1;
        throw new VaultError('outcome_unknown', 'connection_lost');
      }
      return versions.length;
    },
    async read(path, version) {
      const found = at(path).versions[version - 1];
      if (found === undefined) throw new VaultError('version_missing');
      return opened(found);
    },
    async current(path) {
      const { versions } = at(path);
      const newest = versions.at(-1);
      return newest === undefined ? undefined : { version: versions.length, values: opened(newest) };
    },
    ping: async () => !store.down,
    written: () => Array.from(kept.values(), ({ path, versions }) => ({ path, versions: versions.length })),
  };
  return store;
}
