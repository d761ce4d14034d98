import type { Kernel } from '@weir/kernel';
import type { AccessRule } from '@weir/kernel/contract';
import * as endpoints from '../../contract.ts';

/** What a deployment that keeps credentials inline does not have. */
const OF_SECRET_STORE: ReadonlySet<string> = new Set(
  [
    ...[endpoints.listCredentials, endpoints.getCredentials, endpoints.setCredentials, endpoints.rotateCredentials],
    ...[endpoints.detachCredentials, endpoints.migrateCredentials, endpoints.revokeCredential],
  ].map(({ id }) => id),
);

/** Refuses calls that only the secret store has with `credential_mode_unsupported`, whatever their parameters and body are. */
export function credentialModeRule(vault: Pick<Kernel['vault'], 'mode'>): AccessRule {
  return async ({ endpoint }) => {
    if (vault.mode !== 'secret_store' && OF_SECRET_STORE.has(endpoint.id))
      throw endpoints.credentialProblems.credentialModeUnsupported();
  };
}
