import type { TenantTransaction } from '@weir/kernel';
import { credentialProblems } from '../../contract.ts';
import { placeDigest } from '../../model/config/config-places.ts';
import { newCredentialRef } from '../../model/credential/credential-ref.ts';
import { CredentialEntity, type CredentialRow } from '../../model/credential/entity.ts';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';
import { commitCutover } from './cutover.ts';

/** A credential as it begins, or as its next version makes it: which fields are there. */
export interface Written {
  credentialId: string;
  version: number;
  fields: readonly string[];
}

/** How many sources and waiting discoveries use each of these credentials; those that none uses are left out. */
export async function referenceCounts(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await tx.sql(
    `select credential_id, count(*)::int as count from (
       select credential_id from sources.source where tenant_id = $1 and credential_id = any ($2::uuid[]) and status <> 'retired'
       union all
       select credential_id from sources.discovery where tenant_id = $1 and credential_id = any ($2::uuid[])) used
     group by credential_id`,
    [tx.tenant.tenantId, [...ids]],
  );
  return new Map(rows.map(({ credential_id: id, count }) => [String(id), Number(count)]));
}

/** How many sources and waiting discoveries use a credential. */
export async function referenceCount(tx: TenantTransaction, credentialId: string): Promise<number> {
  return (await referenceCounts(tx, [credentialId])).get(credentialId) ?? 0;
}

/** Makes the row of a credential whose first version is written. Throws `UniqueViolation` of `credential_name`. */
export async function insertCredential(
  tx: TenantTransaction,
  { credentialId, version, fields }: Written,
  { name, pattern, place }: { name: string; pattern: Pattern; place: string },
): Promise<CredentialRow> {
  const now = new Date();
  const row = await tx.insert(CredentialEntity, {
    credentialId,
    credentialRef: newCredentialRef(),
    name,
    kind: pattern.id,
    declaredFields: [...pattern.credentialFields],
    fields: [...fields],
    place,
    version,
    latestVersion: version,
    status: 'active',
    rotatedAt: now,
    createdAt: now,
  });
  await noteVersion(tx, row);
  await commitCutover(tx);
  return row;
}

/** Turns a credential to its next version, which is written: this row changes, and no other that was there. */
export async function turnCredential(
  tx: TenantTransaction,
  row: CredentialRow,
  { version, fields }: Written,
  { pattern, place }: { pattern: Pattern; place: string },
): Promise<CredentialRow> {
  const turned = await tx.update(row, {
    version,
    latestVersion: version,
    fields: [...fields],
    place,
    declaredFields: [...pattern.credentialFields],
    rotatedAt: new Date(),
  });
  await noteVersion(tx, turned);
  return turned;
}

/** Notes that a credential, whose row is locked, is used from here on. */
export async function activate(tx: TenantTransaction, credential: CredentialRow): Promise<void> {
  if (credential.status !== 'active') await tx.update(credential, { status: 'active' });
  await commitCutover(tx);
}

/** Gives a source a credential in the caller's transaction, which holds the locks of both rows; it may have had another. */
export async function attach(
  tx: TenantTransaction,
  source: SourceRow,
  credential: CredentialRow,
  changes: Partial<SourceRow> = {},
): Promise<SourceRow> {
  const { credentialId } = credential;
  const before = source.credentialId;
  const after = { ...changes, credentialId, sealed: null, version: source.version + 1, updatedAt: new Date() };
  const attached = await tx.update(source, after);
  await activate(tx, credential);
  if (before && before !== credentialId) await release(tx, before);
  return attached;
}

/** Takes the credentials of a source away. What lies in the secret store stays there. */
export async function detach(
  tx: TenantTransaction,
  source: SourceRow,
  changes: Partial<SourceRow> = {},
): Promise<SourceRow> {
  const before = source.credentialId;
  const after = { ...changes, credentialId: null, sealed: null, version: source.version + 1, updatedAt: new Date() };
  const detached = await tx.update(source, after);
  if (before) await release(tx, before);
  return detached;
}

/** The last one that has used a credential leaves it detached. */
async function release(tx: TenantTransaction, credentialId: string): Promise<void> {
  const row = await tx.findOne(CredentialEntity, { credentialId }, { lock: true });
  if (row?.status === 'active' && (await referenceCount(tx, credentialId)) === 0) {
    await tx.update(row, { status: 'detached' });
  }
}

/** Which credential a request wants, and what for. */
export interface Wanted {
  key: { credentialRef: string } | { credentialId: string };
  pattern: Pattern;
  /** Digest of the place that the configuration leads to. */
  place: string;
}

/**
 * The credential of a request, if a source of this pattern and place can use it.
 *
 * @throws `credential_not_usable`, `credentials_required`
 */
export async function usableCredential(
  tx: TenantTransaction,
  { key, pattern, place }: Wanted,
  options: { lock?: boolean } = {},
): Promise<CredentialRow> {
  const row = await tx.findOne(CredentialEntity, key, options);
  if (row === undefined || row.status === 'revoked' || row.kind !== pattern.id) {
    throw credentialProblems.credentialNotUsable();
  }
  if (row.place === place) return row;
  // Its place was not kept by an earlier release, or a version of the pattern marks other fields: its sources know.
  const users = await tx.find(SourceEntity, { credentialId: row.credentialId });
  if (users.some(({ sourceConfig }) => placeDigest(sourceConfig, pattern) === place)) return row;
  throw credentialProblems.credentialsRequired();
}

/** Throws `credential_name_taken`. To be asked before anything is written to the store; the index decides. */
export async function refuseTakenName(tx: TenantTransaction, name: string): Promise<void> {
  const taken = await tx.findOne(CredentialEntity, { name, status: { $ne: 'revoked' } });
  if (taken !== undefined) throw credentialProblems.credentialNameTaken();
}

/** Keeps which fields a version has. */
export async function noteVersion(
  tx: TenantTransaction,
  { credentialId, version, fields }: CredentialRow,
): Promise<void> {
  await tx.sql(
    `insert into sources.credential_version (tenant_id, credential_id, version, fields, written_at)
     values ($1, $2, $3, $4, now())`,
    [tx.tenant.tenantId, credentialId, version, JSON.stringify(fields)],
  );
}

/** The credential that a source uses, by its row. */
export async function credentialOf(
  tx: TenantTransaction,
  { credentialId }: { credentialId?: string | null | undefined },
  options: { lock?: boolean } = {},
): Promise<CredentialRow | undefined> {
  return credentialId ? tx.findOne(CredentialEntity, { credentialId }, options) : undefined;
}
