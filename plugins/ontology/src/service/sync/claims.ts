import type { TenantTransaction } from '@weir/kernel';

/** Claims of a page. */
export const CLAIMS_PAGE = 5_000;

/** Whose claims: those of one backing dataset on the entities of one type. */
export interface Claimant {
  backingDatasetId: string;
  typeCode: string;
}

const OWN = 'from ontology.claim where tenant_id = $1 and backing_dataset_id = $2';

const IN_RANGE = `
select entity_key, encode(row_hash, 'hex') as hash ${OWN} and entity_key > $3 and ($4::text is null or entity_key <= $4)
order by entity_key limit $5`;

/** The claims on keys after one and up to another one, in their order and in pages. */
export async function* claimsBetween(
  tx: TenantTransaction,
  { backingDatasetId }: Claimant,
  { after, until }: { after: string; until: string | null },
): AsyncIterable<{ key: string; hash: string }[]> {
  for (let from = after; ; ) {
    const { rows } = await tx.sql(IN_RANGE, [tx.tenant.tenantId, backingDatasetId, from, until, CLAIMS_PAGE]);
    const page = rows.map(({ entity_key, hash }) => ({ key: String(entity_key), hash: String(hash) }));
    if (page.length > 0) yield page;
    if (page.length < CLAIMS_PAGE) return;
    from = page.at(-1)?.key ?? from;
  }
}

/** Whether one of these keys was claimed before the run. */
export async function claimedBefore(
  tx: TenantTransaction,
  { backingDatasetId }: Claimant,
  { keys, runId }: { keys: readonly string[]; runId: string },
): Promise<boolean> {
  const sql = `select 1 ${OWN} and entity_key = any ($3::text[]) and run_id <> $4 limit 1`;
  return (await tx.sql(sql, [tx.tenant.tenantId, backingDatasetId, keys, runId])).rows.length > 0;
}

const CLAIMED_BY_OTHERS = `
select distinct c.entity_key from ontology.claim c
join ontology.backing_dataset d on d.tenant_id = c.tenant_id and d.backing_dataset_id = c.backing_dataset_id
where c.tenant_id = $1 and c.type_code = $2 and c.entity_key = any ($3::text[]) and c.backing_dataset_id <> $4
  and ($5 or d.spec ->> 'merge_mode' = 'replace')`;

/** One change at a time of who claims entities of a type: two that end the last claims of a key would each see the other's. */
async function lockClaims(tx: TenantTransaction, typeCode: string): Promise<void> {
  const lock = `ontology:claims:${tx.tenant.tenantId}:${typeCode}`;
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
}

/**
 * Keys whose entities belong to other backing datasets: with `replace` every claim of another one counts. Others wait until the
 * transaction has ended, so that two never claim one key at once.
 */
export async function claimedByOthers(
  tx: TenantTransaction,
  { backingDatasetId, typeCode }: Claimant,
  { keys, replaces }: { keys: readonly string[]; replaces: boolean },
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  await lockClaims(tx, typeCode);
  const { rows } = await tx.sql(CLAIMED_BY_OTHERS, [tx.tenant.tenantId, typeCode, keys, backingDatasetId, replaces]);
  return new Set(rows.map(({ entity_key }) => String(entity_key)));
}

const CLAIM = `
insert into ontology.claim as kept (tenant_id, backing_dataset_id, entity_key, type_code, row_hash, run_id)
select $1, $2, k, $3, decode(h, 'hex'), $4 from jsonb_to_recordset($5::jsonb) as given (k text, h text)
on conflict (tenant_id, backing_dataset_id, entity_key) do update
  set type_code = excluded.type_code, row_hash = excluded.row_hash, run_id = excluded.run_id
  where kept.row_hash <> excluded.row_hash or kept.type_code <> excluded.type_code`;

/** Claims entities by the hashes of their rows; a claim of the same hash is not written. */
export async function claim(
  tx: TenantTransaction,
  { backingDatasetId, typeCode }: Claimant,
  { runId, rows }: { runId: string; rows: readonly { key: string; hash: string }[] },
): Promise<void> {
  if (rows.length === 0) return;
  const given = JSON.stringify(rows.map(({ key, hash }) => ({ k: key, h: hash })));
  await tx.sql(CLAIM, [tx.tenant.tenantId, backingDatasetId, typeCode, runId, given]);
}

/** Notes claims that the run is to end: the table has no rows of them. */
export async function markUnseen(
  tx: TenantTransaction,
  { backingDatasetId }: Claimant,
  { keys, runId }: { keys: readonly string[]; runId: string },
): Promise<void> {
  if (keys.length === 0) return;
  await tx.sql(
    `update ontology.claim set unseen_run_id = $4
     where tenant_id = $1 and backing_dataset_id = $2 and entity_key = any ($3::text[])`,
    [tx.tenant.tenantId, backingDatasetId, keys, runId],
  );
}

/** The first claims that the run is to end. */
export async function unseenClaims(tx: TenantTransaction, of: Claimant, runId: string): Promise<string[]> {
  const sql = `select entity_key ${OWN} and unseen_run_id = $3 order by entity_key limit $4`;
  const { rows } = await tx.sql(sql, [tx.tenant.tenantId, of.backingDatasetId, runId, CLAIMS_PAGE]);
  return rows.map(({ entity_key }) => String(entity_key));
}

/** The first claims on entities of a type. */
export async function firstClaims(tx: TenantTransaction, { backingDatasetId, typeCode }: Claimant): Promise<string[]> {
  const sql = `select entity_key ${OWN} and type_code = $3 order by entity_key limit ${CLAIMS_PAGE}`;
  const { rows } = await tx.sql(sql, [tx.tenant.tenantId, backingDatasetId, typeCode]);
  return rows.map(({ entity_key }) => String(entity_key));
}

/** The types whose entities a backing dataset claims: also those that it filled before. */
export async function claimedTypes(tx: TenantTransaction, backingDatasetId: string): Promise<string[]> {
  const { rows } = await tx.sql(`select distinct type_code ${OWN} order by 1`, [tx.tenant.tenantId, backingDatasetId]);
  return rows.map(({ type_code }) => String(type_code));
}

/** Ends the claims on entities of a type, which stay as they are. */
export async function dropTypeClaims(tx: TenantTransaction, { backingDatasetId, typeCode }: Claimant): Promise<void> {
  await tx.sql(`delete ${OWN} and type_code = $3`, [tx.tenant.tenantId, backingDatasetId, typeCode]);
}

/** Ends claims, and answers the keys that no backing dataset claims any more. */
export async function dropClaims(
  tx: TenantTransaction,
  { backingDatasetId, typeCode }: Claimant,
  keys: readonly string[],
): Promise<string[]> {
  const { tenantId } = tx.tenant;
  await lockClaims(tx, typeCode);
  await tx.sql(`delete ${OWN} and entity_key = any ($3::text[])`, [tenantId, backingDatasetId, keys]);
  const { rows } = await tx.sql(
    `select distinct entity_key from ontology.claim
     where tenant_id = $1 and type_code = $2 and entity_key = any ($3::text[])`,
    [tenantId, typeCode, keys],
  );
  const claimed = new Set(rows.map(({ entity_key }) => String(entity_key)));
  return keys.filter((key) => !claimed.has(key));
}
