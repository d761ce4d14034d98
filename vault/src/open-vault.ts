import { createSealer } from './create-sealer.ts';
import { FILE_FAULTS } from './protected-file.ts';
import { readKeyFile, type SealKey } from './seal-key.ts';
import type { Vault } from './vault.ts';

/** The settings of the vault by the names of their variables, as the environment gives them. */
export interface VaultSettings {
  readonly SOURCE_CREDENTIAL_MODE: string;
  readonly WEIR_CREDENTIAL_KEY_FILE?: string;
  readonly WEIR_CREDENTIAL_PREVIOUS_KEY_FILE?: string;
}

/** The vault, and every fault that forbids to use it, each one line that begins with the variable and holds no value. */
export interface OpenedVault {
  readonly vault: Vault;
  readonly faults: readonly string[];
}

/** Opens what the settings name; nothing is asked of the network. */
export function openVault(settings: VaultSettings): OpenedVault {
  const faults: string[] = [];
  const sealer = openSealer(settings, faults);
  const mode = settings.SOURCE_CREDENTIAL_MODE === 'secret_store' ? 'secret_store' : 'legacy_inline';
  return { vault: { mode, sealer, store: undefined }, faults };
}

function openSealer(settings: VaultSettings, faults: string[]): Vault['sealer'] {
  const keyOf = (name: 'WEIR_CREDENTIAL_KEY_FILE' | 'WEIR_CREDENTIAL_PREVIOUS_KEY_FILE'): SealKey | undefined => {
    const path = settings[name];
    if (path === undefined) return undefined;
    const key = readKeyFile(path);
    if (!('fault' in key)) return key;
    faults.push(`${name} ${FILE_FAULTS[key.fault]}`);
    return undefined;
  };
  const [present, previous] = [keyOf('WEIR_CREDENTIAL_KEY_FILE'), keyOf('WEIR_CREDENTIAL_PREVIOUS_KEY_FILE')];
  return present === undefined ? undefined : createSealer(present, previous);
}
