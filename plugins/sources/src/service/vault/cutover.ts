import type { Kernel, TenantTransaction } from '@weir/kernel';
import { credentialProblems } from '../../contract.ts';

/** Advisory lock: shared by whatever seals credentials of a source, exclusive for a migration. Taken before any row. */
export const CUTOVER_LOCK = 717_496_001;

/**
 * Lets a transaction seal new credentials of a source, and has a migration wait for its end.
 *
 * @throws `credential_mode_unsupported` in a process that keeps credentials inline, once the secret store is in use for good
 */
export async function allowSealing({ vault }: Pick<Kernel, 'vault'>, tx: TenantTransaction): Promise<void> {
  if (vault.mode !== 'legacy_inline') return;
  await tx.sql('select pg_advisory_xact_lock_shared($1)', [CUTOVER_LOCK]);
  const { rows } = await tx.sql('select exists (select from sources.credential_cutover) as committed', []);
  if (rows[0]?.committed === true) throw credentialProblems.credentialModeUnsupported();
}

/** Waits for the transactions that seal, and holds up new ones until this one has ended. */
export async function holdSealing(tx: TenantTransaction): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock($1)', [CUTOVER_LOCK]);
}

/** From here on the secret store is needed for good: a process that keeps credentials inline does not start any more. */
export async function commitCutover(tx: TenantTransaction): Promise<void> {
  await tx.sql(
    'insert into sources.credential_cutover (committed, committed_at) values (true, now()) on conflict do nothing',
    [],
  );
}
