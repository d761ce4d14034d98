import { hkdfSync, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSealer } from './create-sealer.ts';
import { IDENTITY_MODE } from './kv/login.ts';
import { openStore } from './kv/open-store.ts';
import { FILE_FAULTS, readProtectedFile } from './protected-file.ts';
import { readKeyFile, type SealKey } from './seal-key.ts';
import type { Sealer } from './sealer.ts';
import { Secret } from './secret.ts';
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
  /**
   * 32 bytes for one purpose, the same in every process of the deployment: from the key file, or else the role id.
   * Development without either gets random bytes.
   */
  deriveKey(purpose: string): Buffer;
}

type Settings = VaultSettings;
type Name = keyof VaultSettings;
type Faults = string[];

/** What is read from files only: as values they would stand in the environment of every process that is started. */
const FILES_ONLY = ['SECRET_STORE_ROLE_ID_FILE', 'SECRET_STORE_SECRET_ID_FILE', 'WEIR_CREDENTIAL_KEY_FILE'] as const;
const MOUNT = 'weir';
const DERIVED_BYTES = 32;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Opens what the settings name and looks at every file; nothing is asked of the network. */
export function openVault(settings: Settings, environment: Readonly<Record<string, string | undefined>>): OpenedVault {
  const faults = FILES_ONLY.flatMap((name) => {
    const value = name.replace(/_FILE$/, '');
    if (environment[value] === undefined) return [];
    return [`${value} must not be set: write it into a file and name that with ${name}`];
  });
  const mode = settings.SOURCE_CREDENTIAL_MODE === 'secret_store' ? 'secret_store' : 'legacy_inline';
  const { sealer, key } = openSealer(settings, faults);
  const { store, roleId } = mode === 'secret_store' ? storeOf(settings, faults) : {};
  const root = key ?? roleId ?? new Secret(randomBytes(DERIVED_BYTES));
  return {
    vault: { mode, sealer, store },
    faults,
    prove: async () => store?.prove(),
    deriveKey: (purpose) => Buffer.from(hkdfSync('sha256', root.reveal(), '', `weir:${purpose}`, DERIVED_BYTES)),
  };
}

function openSealer(settings: Settings, faults: Faults): { sealer?: Sealer; key?: Secret<Buffer> } {
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
  return present === undefined ? {} : { sealer: createSealer(present, previous), key: present.key };
}

function keyOf(settings: Settings, name: Name, faults: Faults): SealKey | undefined {
  const path = settings[name];
  if (path === undefined) return undefined;
  const key = readKeyFile(path);
  if (!('fault' in key)) return key;
  faults.push(`${name} ${FILE_FAULTS[key.fault]}`);
  return undefined;
}

/** The parts of a vault that the secret store gives. */
interface StoreParts {
  store?: ReturnType<typeof openStore>;
  roleId?: Secret<Buffer> | undefined;
}

function storeOf(settings: Settings, faults: Faults): StoreParts {
  const origin = addressOf(settings, faults);
  const ca = authorityOf(settings, faults);
  const role = identityOf(settings, 'SECRET_STORE_ROLE_ID_FILE', faults);
  const secret = identityOf(settings, 'SECRET_STORE_SECRET_ID_FILE', faults);
  if (origin === undefined || role === undefined || secret === undefined) return {};
  const mount = settings.WEIR_SECRET_STORE_MOUNT ?? MOUNT;
  const identity = { roleIdFile: role.path, secretIdFile: secret.path };
  return { store: openStore({ origin, mount, identity, ...(ca !== undefined && { ca }) }), roleId: role.id };
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

/** The path of a file that is as it must be now, and what it holds; a login reads it again. */
function identityOf(settings: Settings, name: Name, faults: Faults): { path: string; id?: Secret<Buffer> } | undefined {
  const path = settings[name];
  if (path === undefined) {
    faults.push(`${name} is required in mode secret_store`);
    return undefined;
  }
  const file = readProtectedFile(path, IDENTITY_MODE);
  if (!('fault' in file)) return { path, id: new Secret(Buffer.from(file.bytes.toString('latin1').trim())) };
  faults.push(`${name} ${FILE_FAULTS[file.fault]}`);
  return { path };
}
