import type { TenantTransaction } from '@weir/kernel';
import { type FieldFault, kernelProblems } from '@weir/kernel/contract';
import type { VersionDocumentView } from '../contract/documents.ts';
import type { EntityTypeItemView, EntityTypeView } from '../contract/entity-types.ts';
import type { EntityTypeVersionView } from '../contract/type-versions.ts';
import { EntityTypeEntity, type EntityTypeRow, TypeVersionEntity, type TypeVersionRow } from '../model/rows.ts';
import { labelled } from '../model/type/document.ts';

/** An entity type; a retired one is `not_found` like one that is absent, unless it is asked for. */
export async function foundType(
  tx: TenantTransaction,
  code: string,
  { retired = false, lock = false }: { retired?: boolean; lock?: boolean } = {},
): Promise<EntityTypeRow> {
  const row = await tx.findOne(EntityTypeEntity, { code }, { lock });
  if (row === undefined || (row.status === 'retired' && !retired)) throw kernelProblems.notFound();
  return row;
}

/** A version of an entity type; throws `not_found`. */
export async function foundVersion(tx: TenantTransaction, code: string, version: number): Promise<TypeVersionRow> {
  const row = await tx.findOne(TypeVersionEntity, { code, version });
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** One change at a time of the types of a tenant: they refer to each other. */
export async function lockTypes(tx: TenantTransaction): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`ontology:types:${tx.tenant.tenantId}`]);
}

const DOCUMENTS = `
select t.code, t.name, v.document from ontology.entity_type t
join ontology.entity_type_version v on v.tenant_id = t.tenant_id and v.code = t.code and v.version = t.version
where t.tenant_id = $1 and t.status <> 'retired' and t.code <> $2
  and (t.code = any ($3) or t.relationships @> $4::jsonb)`;

interface Neighbour {
  code: string;
  name: string;
  document: VersionDocumentView;
}

/** Other types that refer to this one, or that it refers to by these codes; in their newest versions. */
async function neighboursOf(tx: TenantTransaction, code: string, targets: readonly string[]): Promise<Neighbour[]> {
  const referring = JSON.stringify([{ target_type: code }]);
  const { rows } = await tx.sql(DOCUMENTS, [tx.tenant.tenantId, code, targets, referring]);
  return rows as unknown as Neighbour[];
}

const FILLED = 'from ontology.backing_dataset where tenant_id = $1 and entity_type_code = any ($2)';

/** What refers to an entity type: other types, and backing datasets that fill it. */
export async function usesOf(
  tx: TenantTransaction,
  code: string,
): Promise<{ kind: string; id: string; name: string }[]> {
  const referring = await neighboursOf(tx, code, []);
  const { rows } = await tx.sql(`select backing_dataset_id, name ${FILLED} order by name`, [
    tx.tenant.tenantId,
    [code],
  ]);
  return [
    ...referring.map(({ code: id, name }) => ({ kind: 'entity-type', id, name })),
    ...rows.map((row) => ({ kind: 'backing-dataset', id: String(row.backing_dataset_id), name: String(row.name) })),
  ];
}

/** How many backing datasets fill these types, by their codes. */
export async function fillersOf(tx: TenantTransaction, codes: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.sql(`select entity_type_code, count(*)::int as count ${FILLED} group by entity_type_code`, [
    tx.tenant.tenantId,
    codes,
  ]);
  return new Map(rows.map(({ entity_type_code, count }) => [String(entity_type_code), Number(count)]));
}

/** The properties of a type that backing datasets map. */
export async function mappedOf(tx: TenantTransaction, code: string): Promise<ReadonlySet<string>> {
  const { rows } = await tx.sql(
    `select distinct mapping ->> 'property' as property
     from ontology.backing_dataset d, jsonb_array_elements(d.spec -> 'property_mappings') mapping
     where d.tenant_id = $1 and d.entity_type_code = $2`,
    [tx.tenant.tenantId, code],
  );
  return new Set(rows.map(({ property }) => String(property)));
}

const isKey = (key: readonly string[], primary: readonly string[]) =>
  key.length === primary.length && key.every((one) => primary.includes(one));

/** Relationships, of this type or of others, whose target key is not the primary key of the type that they lead to. */
export async function referenceFaults(
  tx: TenantTransaction,
  code: string,
  { relationships, primary_key }: VersionDocumentView,
  at: string,
): Promise<FieldFault[]> {
  const targets = relationships.map(({ target_type }) => target_type);
  const others = await neighboursOf(tx, code, targets);
  const keys = new Map(others.map((one) => [one.code, one.document.primary_key]));
  keys.set(code, primary_key);
  const own = relationships.flatMap(({ target_type, target_key }, index) => {
    const primary = keys.get(target_type);
    const message = 'is not the primary key of the target type';
    const pointer = `${at}/relationships/${index}/target_key`;
    return primary === undefined || isKey(target_key, primary) ? [] : [{ pointer, code: 'target_key', message }];
  });
  const referring = others.filter(({ document }) =>
    document.relationships.some((one) => one.target_type === code && !isKey(one.target_key, primary_key)),
  );
  return [
    ...own,
    ...referring.map(({ code: other }) => ({
      pointer: `${at}/primary_key`,
      code: 'referenced',
      message: `relationships of ${other} lead here by another key`,
    })),
  ];
}

export const itemView = (tx: TenantTransaction, row: EntityTypeRow, fillers: number): EntityTypeItemView => ({
  tenant: tx.tenant.alias,
  code: row.code,
  name: row.name,
  description: row.description ?? null,
  icon: row.icon ?? null,
  status: row.status,
  version: row.version,
  fingerprint: row.fingerprint,
  properties_count: row.propertiesCount,
  backing_datasets_count: fillers,
  relationships: row.relationships,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  etag: String(row.etag),
});

/** The whole of an entity type, with the document of a version. */
export async function typeView(tx: TenantTransaction, row: EntityTypeRow, version?: number): Promise<EntityTypeView> {
  const { document, ...found } = await foundVersion(tx, row.code, version ?? row.version);
  const shown = { version: found.version, fingerprint: found.fingerprint };
  const fillers = (await fillersOf(tx, [row.code])).get(row.code) ?? 0;
  return { ...itemView(tx, row, fillers), ...shown, latest_version: row.version, ...labelled(document, row.labels) };
}

export const versionView = (row: TypeVersionRow): EntityTypeVersionView => ({
  version: row.version,
  fingerprint: row.fingerprint,
  verdict: row.verdict ?? null,
  changes: row.changes,
  note: row.note ?? null,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
});
