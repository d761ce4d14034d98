import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Credentials of the pattern `vaulted` in every place where it declares one; no two are the same. */
export function vaultedValues(mark: string) {
  return {
    token: `${mark}-token-"quoted"/and:spelled`,
    pin: 730_411_927,
    auth: { password: `${mark}-password` },
    tables: [{ passphrase: `${mark}-first-passphrase` }, { passphrase: `${mark}-second-passphrase` }],
    headers: { 'x-key': `${mark}-header-value` },
    recovery_codes: [`${mark}-recovery-one`, `${mark}-recovery-two`],
  };
}

/** The rest of its configuration. */
export const VAULTED_CONFIG = {
  host: 'db.example',
  auth: { kind: 'basic', user: 'reader' },
  tables: [{ name: 'one' }, { name: 'two' }],
};

/** Both together, as the connector is to get them. */
export function vaultedWhole(mark: string, more: object = {}) {
  const { token, pin, auth, tables, headers, recovery_codes } = vaultedValues(mark);
  return {
    ...{ ...VAULTED_CONFIG, ...more, token, pin, headers, recovery_codes },
    auth: { ...VAULTED_CONFIG.auth, ...auth },
    tables: VAULTED_CONFIG.tables.map((table, index) => ({ ...table, ...tables[index] })),
  };
}

/** What the one record of the connector says of the configuration that it was given. */
export function digestOf(config: object): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(config)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** A deployment that has this pattern beside the ones of the product. */
export const VAULTED_PLATFORM = join(import.meta.dirname, 'fixtures/platform.json');
