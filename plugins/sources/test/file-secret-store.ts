import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SecretPath, type SecretStore, type SecretValues, secretValues, VaultError } from '@weir/vault';

/** A store of secrets in a folder, so that two processes of a test share one; it holds values as they are. */
export function fileSecretStore(folder: string): SecretStore {
  const file = ({ tenantId, credentialId }: SecretPath) => join(folder, `${tenantId}.${credentialId}.json`);
  const versions = (path: SecretPath): [string, unknown][][] => {
    try {
      return JSON.parse(readFileSync(file(path), 'utf8'));
    } catch {
      return [];
    }
  };
  const shown = (values: SecretValues) => Array.from(values, ([pointer, value]) => [pointer, value.reveal()]);
  return {
    async write(path, after, values) {
      const kept = versions(path);
      if (kept.length !== after) throw new VaultError('version_conflict');
      writeFileSync(file(path), JSON.stringify([...kept, shown(values)]));
      return after + 1;
    },
    async read(path, version) {
      const found = versions(path)[version - 1];
      if (found === undefined) throw new VaultError('version_missing');
      return secretValues(found);
    },
    async current(path) {
      const kept = versions(path);
      const last = kept.at(-1);
      return last === undefined ? undefined : { version: kept.length, values: secretValues(last) };
    },
    ping: async () => true,
  };
}
