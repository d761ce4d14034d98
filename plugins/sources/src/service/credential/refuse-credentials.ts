import { type Duty, duty, type Kernel, Refusal, type Tenant } from '@weir/kernel';
import { VaultError } from '@weir/vault';
import type { Sql } from '../pattern/catalog.ts';

type Checked = Pick<Kernel, 'db' | 'vault'>;

/**
 * Throws `Refusal`, so that the process does not start, when it would keep credentials inline although the secret store is in
 * use for good, or when it has no key that opens anything of what is sealed. What some keys do not open is logged.
 */
export async function refuseCredentials(kernel: Checked & Pick<Kernel, 'log' | 'tenants'>, sql: Sql): Promise<void> {
  const { mode, sealer } = kernel.vault;
  const { rows } = await sql('select exists (select from sources.credential_cutover) as committed', []);
  if (rows[0]?.committed === true && mode === 'legacy_inline') {
    throw new Refusal('credentials refused', [
      'SOURCE_CREDENTIAL_MODE is legacy_inline, but credentials lie in the secret store; that way back is closed',
    ]);
  }
  const found = { opened: 0, locked: 0 };
  await checkSeals(kernel, (counts) => {
    found.opened += counts.opened;
    found.locked += counts.locked;
  }).round(kernel);
  if (found.locked > 0 && found.opened === 0) {
    throw new Refusal('credentials refused', [
      `${sealer === undefined ? 'WEIR_CREDENTIAL_KEY_FILE is not set' : 'no key file that is set'} opens what is sealed in the database`,
    ]);
  }
}

interface Counts {
  opened: number;
  locked: number;
}

/** Fails for each tenant with something sealed under a key that this process was not given. */
export const checkSeals = (kernel: Checked, seen: (counts: Counts) => void = () => {}): Duty =>
  duty({
    name: 'sources.seals',
    everyMs: 10 * 60_000,
    where: 'api',
    async perTenant(tenant) {
      const counts = await countSeals(kernel, tenant);
      seen(counts);
      if (counts.locked > 0) throw new VaultError('seal_key_unknown');
    },
  });

/** Counts by the name of the key alone; no seal is opened. */
async function countSeals({ db, vault }: Checked, tenant: Tenant): Promise<Counts> {
  const { rows } = await db(tenant).transaction((tx) =>
    tx.sql(
      `select count(*) filter (where kid = any ($2::text[]))::int as opened,
         count(*) filter (where kid <> all ($2::text[]))::int as locked
       from (select split_part(sealed, '.', 2) as kid from sources.source where tenant_id = $1 and sealed is not null
         union all select split_part(sealed, '.', 2) from sources.credential_rotation where tenant_id = $1) as seal`,
      [tenant.tenantId, vault.sealer?.kids ?? []],
    ),
  );
  return { opened: Number(rows[0]?.opened), locked: Number(rows[0]?.locked) };
}
