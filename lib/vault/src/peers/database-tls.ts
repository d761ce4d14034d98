import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { tlsFault } from './tls-fault.ts';
import { isFarAway, type TlsNames, type TlsSettings, tlsMaterial } from './tls-material.ts';

/** How a connection to the service database is protected, in the words of Postgres. */
export const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

const NAMES: TlsNames = {
  host: 'DB_HOST',
  mode: 'WEIR_DB_SSL_MODE',
  rootCert: 'WEIR_DB_SSL_ROOT_CERT',
  cert: 'WEIR_DB_SSL_CERT',
  key: 'WEIR_DB_SSL_KEY',
};

/** Options of the Postgres driver, `false` for a connection in the clear, and every fault that forbids to connect. */
export interface DatabaseTls {
  readonly ssl: ConnectionOptions | false;
  readonly faults: readonly string[];
}

/** Reads `WEIR_DB_SSL_*` for the host to connect to. Without a mode, a far host outside development is verified in full. */
export function databaseTls(settings: TlsSettings, host: string): DatabaseTls {
  const mode = settings.WEIR_DB_SSL_MODE ?? (isFarAway(settings, host) ? 'verify-full' : 'disable');
  const { material, faults } = tlsMaterial(settings, NAMES, mode !== 'disable');
  if (mode === 'disable' || faults.length > 0) return { ssl: false, faults };
  const identity = {
    require: { rejectUnauthorized: false },
    'verify-ca': { rejectUnauthorized: true, checkServerIdentity: () => undefined },
    // The driver gives no name for an address, and the certificate would be looked at for `localhost`.
    'verify-full': { rejectUnauthorized: true, checkServerIdentity: nameCheck(host) },
  }[mode as Exclude<(typeof SSL_MODES)[number], 'disable'>];
  return { ssl: { ...material, ...identity, minVersion: 'TLSv1.2' }, faults };
}

const nameCheck =
  (host: string): NonNullable<ConnectionOptions['checkServerIdentity']> =>
  (_name, certificate) =>
    checkServerIdentity(host, certificate);

/** What is wrong with TLS to the service database, when that is why an error was thrown. */
export const databaseTlsFault = (thrown: unknown): string | undefined => tlsFault(thrown, NAMES);
