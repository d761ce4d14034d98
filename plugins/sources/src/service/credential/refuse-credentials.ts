import { type Kernel, Refusal } from '@weir/kernel';

/**
 * Throws `Refusal`, so that the process does not start, when it would keep credentials inline although the secret store is in
 * use for good, or when something is sealed under a key that it was not given.
 */
export async function refuseCredentials(kernel: Kernel): Promise<void> {
  const { mode, sealer } = kernel.vault;
  const kids = sealer?.kids ?? [];
  for (const tenant of await kernel.tenants.list()) {
    const { rows } = await kernel.db(tenant).transaction((tx) =>
      tx.sql(
        `select exists (select from sources.credential_cutover) as committed,
           (select count(distinct source_id)::int from sources.source
            where tenant_id = $1 and sealed is not null and split_part(sealed, '.', 2) <> all ($2::text[]))
           + (select count(*)::int from sources.credential_rotation
              where tenant_id = $1 and split_part(sealed, '.', 2) <> all ($2::text[])) as locked`,
        [tenant.tenantId, [...kids]],
      ),
    );
    const { committed, locked } = rows[0] ?? {};
    if (committed === true && mode === 'legacy_inline') {
      throw new Refusal('credentials refused', [
        'SOURCE_CREDENTIAL_MODE is legacy_inline, but credentials lie in the secret store; that way back is closed',
      ]);
    }
    if (Number(locked) > 0) {
      throw new Refusal('credentials refused', [
        `${kids.length === 0 ? 'WEIR_CREDENTIAL_KEY_FILE is not set' : 'no key file that is set'} opens what is sealed in the database`,
      ]);
    }
  }
}
