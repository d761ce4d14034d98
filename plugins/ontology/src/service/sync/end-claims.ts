import { createHash, randomUUID } from 'node:crypto';
import type { TenantTransaction } from '@weir/kernel';
import type { EntityChunk } from '../../model/entity/store.ts';
import type { BackingDatasetRow } from '../../model/rows.ts';
import { takeChunk } from '../store/take-chunk.ts';
import { type Claimant, claimedTypes, dropClaims, firstClaims } from './claims.ts';
import { bothOwned, formerlyOwned, newestType } from './former.ts';
import { mergedItems, type Owned } from './owned.ts';

/** Numbers of chunks that take properties away, above those of chunks that bring some. */
const TAKEN_AWAY = 1_000_000_000;

/** Entities whose claims end, in one chunk. */
export interface EndedClaims {
  claimant: Claimant;
  owned: Owned;
  type: EntityChunk['type'];
  keys: readonly string[];
  runId: string;
  seq: number;
}

/**
 * Ends claims: entities that nothing claims any more are deleted with their links, others lose what the backing dataset brought.
 * Answers how many were deleted.
 */
export async function endClaimsOn(
  tx: TenantTransaction,
  ended: EndedClaims,
): Promise<{ deleted: number; jobId: string }> {
  const { claimant, owned, type, keys, runId, seq } = ended;
  const orphans = await dropClaims(tx, claimant, keys);
  const job = await takeChunk(tx, { runId, seq, type, operation: 'delete', keys: orphans });
  const gone = new Set(orphans);
  const left = keys.filter((key) => !gone.has(key)).map((key) => ({ key, properties: {}, links: [] }));
  if (left.length > 0) {
    const items = await mergedItems(tx, type.code, owned, left);
    await takeChunk(tx, { runId, seq: TAKEN_AWAY + seq, type, operation: 'upsert', items });
  }
  return { deleted: job.written, jobId: job.jobId };
}

/** The properties and relationships that a backing dataset alone brings: those of the key all that claim an entity bring. */
export const ownedBy = (spec: BackingDatasetRow['spec']): Owned => {
  const key = new Set(spec.primary_key_mapping.map(({ property }) => property));
  return {
    properties: new Set(spec.property_mappings.map(({ property }) => property)).difference(key),
    relationships: new Set(spec.relationship_mappings.map(({ relationship }) => relationship)),
  };
};

/** Ends all claims of a backing dataset that is deleted. `keep` leaves the entities as they are, claimed by none. */
export async function endClaims(
  tx: TenantTransaction,
  { backingDatasetId, spec }: Pick<BackingDatasetRow, 'backingDatasetId' | 'spec'>,
  { entities }: { entities: 'keep' | 'remove' },
): Promise<void> {
  const own = [tx.tenant.tenantId, backingDatasetId];
  if (entities === 'keep') {
    await tx.sql('delete from ontology.claim where tenant_id = $1 and backing_dataset_id = $2', own);
    return;
  }
  for (const typeCode of await claimedTypes(tx, backingDatasetId)) {
    const claimant = { backingDatasetId, typeCode };
    const former = await formerlyOwned(tx, claimant);
    const owned = typeCode === spec.entity_type_code ? bothOwned(former, ownedBy(spec)) : former;
    const shared = { claimant, owned, type: await newestType(tx, typeCode), runId: randomUUID() };
    for (let seq = 0, keys = await firstClaims(tx, claimant); keys.length > 0; seq += 1) {
      await endClaimsOn(tx, { ...shared, keys, seq });
      keys = await firstClaims(tx, claimant);
    }
  }
}

/** The same for chunks of the same keys. */
export const keysDigest = (keys: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(keys)).digest('hex');
