import { faultpoint, type Kernel, type Tenant, type TenantTransaction } from '@weir/kernel';
import type { SecretValues } from '@weir/vault';
import { v7 as uuidv7 } from 'uuid';
import { credentialProblems } from '../../contract.ts';
import { placeDigest } from '../../model/config/config-places.ts';
import { newCredentialRef } from '../../model/credential/credential-ref.ts';
import { splitConfig, withValues } from '../../model/credential/read-values.ts';
import { credentialTag } from '../../model/discovery/seen.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';
import type { PatternUser, Sql } from '../pattern/catalog.ts';
import { carrySeenCredential } from '../row/last-seen.ts';
import { uniqueConstraint } from '../row/unique-constraint.ts';
import { commitCutover, holdSealing } from '../vault/cutover.ts';
import { sourcePlace } from '../vault/stored-at.ts';
import { requireStore, storedValues } from '../vault/vault-access.ts';
import { quarantineBatch, renewIntents, writeVersion } from '../vault/write-version.ts';

/** Intents are renewed this often, far within the time after which they are taken for abandoned. */
const RENEW_AFTER_MS = 30_000;

export interface MigrationDeps {
  kernel: Kernel;
  /** The pattern of a source; throws when it is not known here. */
  patternOf(row: PatternUser, sql?: Sql): Promise<Pattern>;
}

/** A source whose credentials are to move, and the name that they get. */
export interface Moving {
  tenant: Tenant;
  source: SourceRow;
  name: string;
}

/** A source whose credentials lie in the secret store, verified; no row knows of them yet. */
interface Moved extends Moving {
  pattern: Pattern;
  credentialId: string;
  visible: Record<string, unknown>;
  values: SecretValues;
}

/**
 * Moves the credentials of sources from the database into the secret store: every one is written and read back first, then
 * one transaction, over all tenants, turns the sources to them and removes what was sealed. When that transaction does not
 * commit nothing has changed, and every version that was written is quarantined. Answers the credentials by source.
 * `leavesNone`: the tenants have nothing sealed after it, or it does not commit.
 */
export async function migrateCredentials(
  deps: MigrationDeps,
  sources: readonly Moving[],
  options: { leavesNone?: boolean } = {},
): Promise<Map<string, string>> {
  const { kernel } = deps;
  const store = requireStore(kernel.vault);
  const batchId = uuidv7();
  const tenants = new Map(sources.map(({ tenant }) => [tenant.tenantId, tenant]));
  const [first] = sources;
  if (first === undefined) return new Map();
  try {
    const moved: Moved[] = [];
    let renewed = Date.now();
    for (const moving of sources) {
      const one = await readMoving(deps, moving);
      const wanted = { batchId, credentialId: one.credentialId, after: 0, values: one.values };
      await writeVersion({ kernel, store }, moving.tenant, wanted);
      moved.push(one);
      await faultpoint('C3');
      if (Date.now() - renewed < RENEW_AFTER_MS) continue;
      for (const tenant of tenants.values()) await renewIntents(kernel, tenant, batchId);
      renewed = Date.now();
    }
    await kernel.db(first.tenant).transaction((tx) => turnSources(tx, moved, { batchId, ...options }));
    return new Map(moved.map(({ source, credentialId }) => [source.sourceId, credentialId]));
  } catch (error) {
    for (const tenant of tenants.values()) await quarantineBatch(kernel, tenant, batchId, 'not_committed');
    if (uniqueConstraint(error) === 'credential_name') throw credentialProblems.credentialNameTaken();
    throw error;
  }
}

/** What is sealed for a source, and credentials that its configuration still holds as they were no credentials once. */
async function readMoving({ kernel, patternOf }: MigrationDeps, moving: Moving): Promise<Moved> {
  const { tenant, source } = moving;
  const pattern = await patternOf(source);
  const at = { place: sourcePlace(tenant, source.sourceId), sealed: source.sealed ?? undefined, credential: undefined };
  const values = await storedValues(kernel, tenant, at);
  return {
    ...moving,
    ...splitConfig(withValues(source.sourceConfig, values), pattern),
    pattern,
    credentialId: uuidv7(),
  };
}

/**
 * The one transaction. It goes from tenant to tenant by the setting that row security reads, which this transaction alone
 * sees and which ends with it; the ids are those of rows that were read tenant by tenant.
 */
async function turnSources(
  tx: TenantTransaction,
  moved: readonly Moved[],
  { batchId, leavesNone = false }: { batchId: string; leavesNone?: boolean },
): Promise<void> {
  await holdSealing(tx);
  const byTenant = Map.groupBy(moved, ({ tenant }) => tenant.tenantId);
  for (const tenantId of [...byTenant.keys()].sort()) {
    await tx.sql("select set_config('app.tenant', $1, true)", [tenantId]);
    const own = byTenant.get(tenantId) ?? [];
    for (const one of own.toSorted((a, b) => (a.source.sourceId < b.source.sourceId ? -1 : 1)))
      await turnSource(tx, one);
    const { rowCount } = await tx.sql('delete from sources.credential_intent where tenant_id = $1 and batch_id = $2', [
      tenantId,
      batchId,
    ]);
    if (rowCount !== own.length) throw credentialProblems.credentialChangeInProgress();
    if (leavesNone) await refuseLeft(tx, tenantId);
  }
  await commitCutover(tx);
  await faultpoint('C4');
}

/** Throws when something is still sealed in a tenant, after all that was known of has been moved. */
async function refuseLeft(tx: TenantTransaction, tenantId: string): Promise<void> {
  const { rows } = await tx.sql(
    'select count(*)::int as count from sources.source where tenant_id = $1 and sealed is not null',
    [tenantId],
  );
  if (Number(rows[0]?.count) > 0) throw credentialProblems.credentialMigrationFailed();
}

async function turnSource(tx: TenantTransaction, moved: Moved): Promise<void> {
  const { tenant, source, name, pattern, credentialId, visible, values } = moved;
  const fields = JSON.stringify([...values.keys()]);
  const declared = JSON.stringify(pattern.credentialFields);
  await tx.sql(
    `insert into sources.credential (tenant_id, credential_id, credential_ref, name, kind, declared_fields, fields,
       place, version, latest_version, status, rotated_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 1, 1, 'active', now(), now())`,
    [
      tenant.tenantId,
      credentialId,
      newCredentialRef(),
      name,
      pattern.id,
      declared,
      fields,
      placeDigest(visible, pattern),
    ],
  );
  await tx.sql(
    `insert into sources.credential_version (tenant_id, credential_id, version, fields, written_at)
     values ($1, $2, 1, $3, now())`,
    [tenant.tenantId, credentialId, fields],
  );
  const { rowCount } = await tx.sql(
    `update sources.source set sealed = null, credential_id = $3, source_config = $4, version = version + 1, updated_at = now()
     where tenant_id = $1 and source_id = $2 and version = $5 and credential_id is null and status <> 'retired'`,
    [tenant.tenantId, source.sourceId, credentialId, JSON.stringify(visible), source.version],
  );
  if (rowCount !== 1) throw credentialProblems.credentialMigrationFailed();
  await carrySeenCredential(tx, {
    tenantId: tenant.tenantId,
    before: credentialTag(source),
    after: credentialTag({ credential: { credentialId, version: 1 } }),
  });
}

/** The sources of a tenant whose credentials lie in the database, each with a name for its credential. */
export async function sourcesToMigrate({ kernel, patternOf }: MigrationDeps, tenant: Tenant): Promise<Moving[]> {
  return kernel.db(tenant).transaction(async (tx) => {
    const rows = await tx.find(SourceEntity, { credentialId: null, status: { $ne: 'retired' } });
    const { rows: named } = await tx.sql(
      "select name from sources.credential where tenant_id = $1 and status <> 'revoked'",
      [tenant.tenantId],
    );
    const taken = new Set(named.map(({ name }) => String(name)));
    const moving: Moving[] = [];
    for (const source of rows) {
      if (!(await holdsCredentials(source, patternOf, tx.sql))) continue;
      moving.push({ tenant, source, name: freeName(source.name, taken) });
    }
    return moving;
  });
}

/** Whether anything of a source is a credential that lies in the database; one whose pattern is gone counts by its seal. */
export async function holdsCredentials(
  source: SourceRow,
  patternOf: MigrationDeps['patternOf'],
  sql?: Sql,
): Promise<boolean> {
  if (source.sealed) return true;
  return splitConfig(source.sourceConfig, await patternOf(source, sql)).values.size > 0;
}

/** The name of a source, or the first of its kind that no credential has; it is taken then. */
function freeName(name: string, taken: Set<string>): string {
  for (let n = 1; ; n += 1) {
    const wanted = n === 1 ? name : `${name.slice(0, 56)}-${n}`;
    if (taken.has(wanted)) continue;
    taken.add(wanted);
    return wanted;
  }
}
