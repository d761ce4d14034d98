import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSealer } from './create-sealer.ts';
import { IDENTITY_MODE } from './kv/login.ts';
import { openStore } from './kv/open-store.ts';
import { FILE_FAULTS, readProtectedFile } from './protected-file.ts';
import { readKeyFile, type SealKey } from './seal-key.ts';
import type { Sealer } from './sealer.ts';
import type { Vault } from './vault.ts';

/** The settings of the vault by the names of their variables; a schema has looked at what each may be. */
export interface VaultSettings {
  readonly WEIR_MODE?: string;
  readonly SOURCE_CREDENTIAL_MODE?: string;
  readonly WEIR_CREDENTIAL_KEY_FILE?: string;
  readonly WEIR_CREDENTIAL_PREVIOUS_KEY_FILE?: string;
  readonly SECRET_STORE_ADDR?: string;
  readonly SECRET_STORE_CACERT?: string;
  readonly SECRET_STORE_ROLE_ID_FILE?: string;
  readonly SECRET_STORE_SECRET_ID_FILE?: string;
  readonly WEIR_SECRET_STORE_MOUNT?: string;
}

/** The vault, and every fault that forbids to use it, each one line that begins with the variable and holds no value. */
export interface OpenedVault {
  readonly vault: Vault;
  readonly faults: readonly string[];
  /**
   * Shows by doing that the mount keeps what is written, which the first write would do otherwise; nothing without a
   * store. Throws `VaultError`: `store_unavailable`, or `store_refused` with the reason.
   */
  prove(): Promise<void>;
}

type Settings = VaultSettings;
type Name = keyof VaultSettings;
type Faults = string[];

/** What is read from files only: as values they would stand in the environment of every process that is started. */
const FILES_ONLY = ['SECRET_STORE_ROLE_ID_FILE', 'SECRET_STORE_SECRET_ID_FILE', 'WEIR_CREDENTIAL_KEY_FILE'] as const;
const MOUNT = 'weir';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Opens what the settings name and looks at every file; nothing is asked of the network. */
export function openVault(settings: Settings, environment: Readonly<Record<string, string | undefined>>): OpenedVault {
  const faults = FILES_ONLY.flatMap((name) => {
    const value = name.replace(/_FILE$/, '');
    if (environment[value] === undefined) return [];
    return [`${value} must not be set: write it into a file and name that with ${name}`];
  });
  const mode = settings.SOURCE_CREDENTIAL_MODE === 'secret_store' ? 'secret_store' : 'legacy_inline';
  const sealer = openSealer(settings, faults);
  const store = mode === 'secret_store' ? storeOf(settings, faults) : undefined;
  return { vault: { mode, sealer, store }, faults, prove: async () => store?.prove() };
}

function openSealer(settings: Settings, faults: Faults): Sealer | undefined {
  const [present, previous] = [
    keyOf(settings, 'WEIR_CREDENTIAL_KEY_FILE', faults),
    keyOf(settings, 'WEIR_CREDENTIAL_PREVIOUS_KEY_FILE', faults),
  ];
  if (settings.WEIR_CREDENTIAL_KEY_FILE === undefined) {
    const inline = settings.SOURCE_CREDENTIAL_MODE !== 'secret_store';
    if (settings.WEIR_CREDENTIAL_PREVIOUS_KEY_FILE !== undefined) {
      faults.push('WEIR_CREDENTIAL_PREVIOUS_KEY_FILE opens what WEIR_CREDENTIAL_KEY_FILE seals again; set that too');
    } else if (inline && settings.WEIR_MODE !== 'development') {
      faults.push('WEIR_CREDENTIAL_KEY_FILE is required to keep credentials in the database, but for development');
    }
  }
  if (present !== undefined && present.kid === previous?.kid) {
    faults.push('WEIR_CREDENTIAL_PREVIOUS_KEY_FILE holds the same key as WEIR_CREDENTIAL_KEY_FILE');
  }
  return present === undefined ? undefined : createSealer(present, previous);
}

function keyOf(settings: Settings, name: Name, faults: Faults): SealKey | undefined {
  const path = settings[name];
  if (path === undefined) return undefined;
  const key = readKeyFile(path);
  if (!('fault' in key)) return key;
  faults.push(`${name} ${FILE_FAULTS[key.fault]}`);
  return undefined;
}

function storeOf(settings: Settings, faults: Faults): ReturnType<typeof openStore> | undefined {
  const origin = addressOf(settings, faults);
  const ca = authorityOf(settings, faults);
  const roleIdFile = identityOf(settings, 'SECRET_STORE_ROLE_ID_FILE', faults);
  const secretIdFile = identityOf(settings, 'SECRET_STORE_SECRET_ID_FILE', faults);
  if (origin === undefined || roleIdFile === undefined || secretIdFile === undefined) return undefined;
  const mount = settings.WEIR_SECRET_STORE_MOUNT ?? MOUNT;
  return openStore({ origin, mount, identity: { roleIdFile, secretIdFile }, ...(ca !== undefined && { ca }) });
}

function addressOf({ SECRET_STORE_ADDR: address }: Settings, faults: Faults): URL | undefined {
  const url = URL.parse(address ?? '');
  const tls = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url !== null && tls && url.href === `${url.origin}/`) return url;
  const rule = 'must be https://<host>:<port> and no more (http only on this machine)';
  faults.push(
    address === undefined ? 'SECRET_STORE_ADDR is required in mode secret_store' : `SECRET_STORE_ADDR ${rule}`,
  );
  return undefined;
}

function authorityOf({ SECRET_STORE_CACERT: path }: Settings, faults: Faults): string | undefined {
  if (path === undefined) return undefined;
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    faults.push('SECRET_STORE_CACERT names no readable file of certificates in PEM');
    return undefined;
  }
}

/** The path of a file that is as it must be now; it is read again at each login. */
function identityOf(settings: Settings, name: Name, faults: Faults): string | undefined {
  const path = settings[name];
  if (path === undefined) {
    faults.push(`${name} is required in mode secret_store`);
    return undefined;
  }
  const file = readProtectedFile(path, IDENTITY_MODE);
  if ('fault' in file) faults.push(`${name} ${FILE_FAULTS[file.fault]}`);
  return path;
}
