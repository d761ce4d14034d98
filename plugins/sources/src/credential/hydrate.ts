import { leaves, type Scrubber } from '@weir/connector-runtime';
import type { Kernel, Tenant } from '@weir/kernel';
import type { SecretValues } from '@weir/vault';
import { growingScrubber } from './growing-scrubber.ts';
import { withValues } from './read-values.ts';
import { type StoredAt, storedValues } from './vault-access.ts';

/** What a connector is given, and the texts by which its credentials are known. It lives as long as the attempt. */
export interface HydratedConfig {
  /** JSON text of the configuration with its credentials. */
  config: string;
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
  return { config: JSON.stringify(withValues(sourceConfig, values)), secrets: textsOf(values) };
}

function textsOf(values: SecretValues | undefined): string[] {
  return [...new Set([...(values?.values() ?? [])].flatMap((value) => leaves(value.reveal())))];
}

/**
 * Credentials shorter than this are words that names and states have anyway (`postgres`, `public`), so only longer ones are
 * looked for in what must be right to the letter.
 */
const MIN_SURE_CHARS = 12;

/** Two scrubbers of the credentials of an attempt. */
export interface AttemptScrubbers {
  /** For what is read by people. */
  text: Scrubber;
  /** For what is stored as it is: a credential in it is a fault, as it cannot be masked. */
  sure: Scrubber;
  /** From here on these are found too. */
  learn(secrets: Iterable<string>): void;
}

/** What finds and masks the credentials of an attempt. */
export function attemptScrubbers(secrets: readonly string[]): AttemptScrubbers {
  const [text, sure] = [growingScrubber(secrets), growingScrubber(secrets, MIN_SURE_CHARS)];
  return {
    text,
    sure,
    learn(more) {
      text.learn(more);
      sure.learn(more);
    },
  };
}
