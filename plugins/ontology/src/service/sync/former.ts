import type { TenantTransaction } from '@weir/kernel';
import type { EntityChunk } from '../../model/entity/store.ts';
import { EntityTypeEntity } from '../../model/rows.ts';
import type { Claimant } from './claims.ts';
import type { Owned } from './owned.ts';
import { indexedOf } from './sync-type.ts';

const MAPPED = (list: string, member: string, from: string) =>
  `select m ->> '${member}' from ${from} s, jsonb_array_elements(s.spec -> '${list}') m where s.tenant_id = $1`;
const BROUGHT = (list: string, member: string) => `
${MAPPED(list, member, 'ontology.sync_run')} and s.backing_dataset_id = $2 and s.spec ->> 'entity_type_code' = $3
except ${MAPPED(list, member, 'ontology.backing_dataset')} and s.backing_dataset_id <> $2 and s.entity_type_code = $3
except ${MAPPED('primary_key_mapping', 'property', 'ontology.sync_run')} and s.backing_dataset_id = $2`;

/** What a backing dataset has brought of entities of a type by any of its runs, and no other one maps now. */
export async function formerlyOwned(tx: TenantTransaction, { backingDatasetId, typeCode }: Claimant): Promise<Owned> {
  const named = async (list: string, member: string): Promise<Set<string>> => {
    const sql = `select name from (${BROUGHT(list, member)}) as brought (name)`;
    const { rows } = await tx.sql(sql, [tx.tenant.tenantId, backingDatasetId, typeCode]);
    return new Set(rows.map(({ name }) => String(name)));
  };
  return {
    properties: await named('property_mappings', 'property'),
    relationships: await named('relationship_mappings', 'relationship'),
  };
}

export const bothOwned = (one: Owned, other: Owned): Owned => ({
  properties: one.properties.union(other.properties),
  relationships: one.relationships.union(other.relationships),
});

/** The newest version of a type. */
export async function newestType(tx: TenantTransaction, code: string): Promise<EntityChunk['type']> {
  const version = (await tx.findOne(EntityTypeEntity, { code }))?.version ?? 1;
  return { code, version, indexed: await indexedOf(tx, code, version) };
}
