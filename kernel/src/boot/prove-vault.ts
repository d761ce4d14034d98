import type { VaultError } from '@weir/vault';
import type { Logger } from 'pino';
import { Refusal } from '../config/refusal.ts';

/**
 * Refuses the start when the secret store refuses what we need of it, such as enough versions. One that does not answer
 * may answer later: the platform starts without it, and the first write asks again.
 */
export async function proveVault(prove: () => Promise<void>, log: Logger): Promise<void> {
  try {
    await prove();
  } catch (error) {
    const { code, reason, message } = error as VaultError;
    if (code !== 'store_unavailable') throw new Refusal('secret store refused', [message]);
    log.warn({ reason }, 'the secret store does not answer: calls that need it are refused until it does');
  }
}
