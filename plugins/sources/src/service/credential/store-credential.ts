import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import type { SecretValues } from '@weir/vault';
import { v7 as uuidv7 } from 'uuid';
import { credentialProblems } from '../../contract.ts';
import { CredentialEntity, type CredentialRow } from '../../model/credential/entity.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { uniqueConstraint } from '../row/unique-constraint.ts';
import { insertCredential, refuseTakenName, turnCredential } from '../vault/rows.ts';
import { requireStore, vaultProblems } from '../vault/vault-access.ts';
import { useWritten, writeVersion } from '../vault/write-version.ts';

/** What the one transaction does with a credential: `lock` takes the locks that come before the credential's own. */
export interface Use<L, R> {
  lock(tx: TenantTransaction): Promise<L>;
  use(tx: TenantTransaction, credential: CredentialRow, locked: L): Promise<R>;
}

/** Values as a request gives them, and the digest of the place that they are for. */
interface NewValues {
  values: SecretValues;
  pattern: Pattern;
  place: string;
}

/** A use that needs no other lock. */
export function onlyUse<R>(use: (tx: TenantTransaction, credential: CredentialRow) => Promise<R>): Use<undefined, R> {
  return { lock: async () => undefined, use };
}

/**
 * Makes a new credential in the secret store and uses it in one transaction. Throws `credential_name_required`,
 * `credential_name_taken`, and what `writeVersion` throws.
 */
export async function storeNew<L, R>(
  kernel: Kernel,
  tenant: Tenant,
  { values, name, pattern, place }: NewValues & { name: string | undefined },
  { lock, use }: Use<L, R>,
): Promise<R> {
  const store = requireStore(kernel.vault);
  if (name === undefined) throw credentialProblems.credentialNameRequired();
  await kernel.db(tenant).transaction((tx) => refuseTakenName(tx, name));
  const [credentialId, batchId] = [uuidv7(), uuidv7()];
  const version = await writeVersion({ kernel, store }, tenant, { batchId, credentialId, after: 0, values });
  try {
    return await useWritten(kernel, tenant, { batchId, versions: 1 }, async (tx) => {
      const locked = await lock(tx);
      const written = { credentialId, version, fields: [...values.keys()] };
      return use(tx, await insertCredential(tx, written, { name, pattern, place }), locked);
    });
  } catch (error) {
    if (uniqueConstraint(error) === 'credential_name') throw credentialProblems.credentialNameTaken();
    throw error;
  }
}

/**
 * Writes the next version of a credential, as it was read, and turns its row to it. Throws `conflict` when it has been turned
 * meanwhile, `credential_not_usable` when it has been revoked, and what `writeVersion` throws.
 */
export async function storeNext<L, R>(
  kernel: Kernel,
  tenant: Tenant,
  { credential, values, pattern, place }: NewValues & { credential: CredentialRow },
  { lock, use }: Use<L, R>,
): Promise<R> {
  const store = requireStore(kernel.vault);
  const { credentialId, latestVersion: after } = credential;
  const batchId = uuidv7();
  const version = await writeVersion({ kernel, store }, tenant, { batchId, credentialId, after, values });
  return useWritten(kernel, tenant, { batchId, versions: 1 }, async (tx) => {
    const locked = await lock(tx);
    const row = await lockedAs(tx, credential);
    return use(
      tx,
      await turnCredential(tx, row, { credentialId, version, fields: [...values.keys()] }, { pattern, place }),
      locked,
    );
  });
}

/**
 * Uses a credential that is there, once `check` has passed its values. Throws what `find` and `check` throw, and `conflict`
 * when it has been turned meanwhile.
 */
export async function useExisting<L, R>(
  kernel: Kernel,
  tenant: Tenant,
  { find, check }: { find(tx: TenantTransaction): Promise<CredentialRow>; check(values: SecretValues): void },
  { lock, use }: Use<L, R>,
): Promise<R> {
  const store = requireStore(kernel.vault);
  const credential = await kernel.db(tenant).transaction(find);
  const { credentialId, version } = credential;
  const path = { tenantId: tenant.tenantId, credentialId };
  check(await vaultProblems(kernel.log, () => store.read(path, version)));
  return kernel.db(tenant).transaction(async (tx) => {
    const locked = await lock(tx);
    return use(tx, await lockedAs(tx, credential), locked);
  });
}

/** The row of a credential, locked, if it is as it was read. */
async function lockedAs(tx: TenantTransaction, { credentialId, version }: CredentialRow): Promise<CredentialRow> {
  const row = await tx.findOne(CredentialEntity, { credentialId }, { lock: true });
  if (row === undefined || row.status === 'revoked') throw credentialProblems.credentialNotUsable();
  if (row.version !== version) throw kernelProblems.conflict();
  return row;
}
