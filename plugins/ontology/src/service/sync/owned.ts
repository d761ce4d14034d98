import { canonicalSha256 } from '@weir/documents';
import type { TenantTransaction } from '@weir/kernel';
import type { EntityItem } from '../../model/entity/store.ts';

/** What of an entity one backing dataset brings. */
export interface Owned {
  properties: ReadonlySet<string>;
  relationships: ReadonlySet<string>;
}

const AT = 'where tenant_id = $1 and type_code = $2 and entity_key = any ($3::text[])';

/**
 * Entities with what others brought of them beside what these items bring; those that are not there and bring nothing are left out.
 * Their rows are locked until the transaction ends.
 */
export async function mergedItems(
  tx: TenantTransaction,
  typeCode: string,
  owned: Owned,
  items: readonly Pick<EntityItem, 'key' | 'properties' | 'links'>[],
): Promise<EntityItem[]> {
  const at = [tx.tenant.tenantId, typeCode, items.map(({ key }) => key)];
  const entities = await tx.sql(
    `select entity_key, properties from ontology.entity ${AT} order by entity_key for update`,
    at,
  );
  const links = await tx.sql(`select entity_key, relationship, target_type, target_key from ontology.link ${AT}`, at);
  const before = new Map(entities.rows.map((row) => [String(row.entity_key), row.properties as object]));
  const linked = Map.groupBy(links.rows, (row) => String(row.entity_key));
  return items.map(({ key, ...own }) => {
    const kept = Object.entries(before.get(key) ?? {}).filter(([name]) => !owned.properties.has(name));
    const others = (linked.get(key) ?? []).map((row) => ({
      relationship: String(row.relationship),
      targetType: String(row.target_type),
      targetKey: String(row.target_key),
    }));
    const properties = { ...Object.fromEntries(kept), ...own.properties };
    const all = [...others.filter(({ relationship }) => !owned.relationships.has(relationship)), ...own.links];
    const sorted = all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return { key, properties, links: sorted, rowHash: canonicalSha256([properties, sorted]) };
  });
}
