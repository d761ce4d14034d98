import { leaves } from '@weir/connector-runtime';
import type { Kernel, Tenant } from '@weir/kernel';
import type { SecretValues } from '@weir/vault';
import { withValues } from '../../model/credential/read-values.ts';
import { type StoredAt, storedValues } from './vault-access.ts';

/** What a connector is given, and the texts by which its credentials are known. It lives as long as the attempt. */
export interface HydratedConfig {
  /** The configuration with its credentials. */
  config: Readonly<Record<string, unknown>>;
  /** Every text of a credential; for `attemptScrubber`, in this process or another of the attempt. */
  secrets: string[];
}

/**
 * Puts the credentials into a configuration, inside the activity that needs them. A running attempt keeps the version that it
 * has read. Throws `credentials_unreadable` and `secret_store_unavailable`.
 */
export async function hydrate(
  kernel: Pick<Kernel, 'vault' | 'log'>,
  tenant: Tenant,
  sourceConfig: Readonly<Record<string, unknown>>,
  at: StoredAt,
): Promise<HydratedConfig> {
  const values = await storedValues(kernel, tenant, at);
  return { config: withValues(sourceConfig, values), secrets: textsOf(values) };
}

function textsOf(values: SecretValues | undefined): string[] {
  return [...new Set([...(values?.values() ?? [])].flatMap((value) => leaves(value.reveal())))];
}
