import { canonicalSha256 } from '@weir/documents';
import type { BackingSpecView } from '../../contract/backing/document.ts';
import { foldSql } from './fold-sql.ts';

/** The contract of these runs. */
export const SYNC_CONTRACT = 2;
/** The version of how rows become entities: another one has every entity written again. */
export const MAPPER = 2;

/** What decides, beside the document, which entities a run makes of a snapshot. */
export interface EffectiveParts {
  tenantId: string;
  store: { adapter: string; ontologyTenant: string; instance: string | null };
  /** Null for a table that is not there yet. */
  tableUuid: string | null;
  type: { fingerprint: string; primaryKey: readonly string[] };
  identityDigest: string | null;
}

/** A value that has no canonical form: a fingerprint of it would not be one. */
export class UnhashableSpec extends Error {
  override readonly name = 'UnhashableSpec';
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** All that decides which entities a run makes of a snapshot, in one form. Names, limits and the start of syncs are left out. */
export function effectiveSpec(
  {
    dataset_id,
    entity_type_code,
    entity_type_version,
    property_mappings,
    primary_key_mapping,
    relationship_mappings,
    row_filter,
    identity_policy,
    ...policies
  }: BackingSpecView,
  { tenantId, store, tableUuid, type, identityDigest }: EffectiveParts,
): Record<string, unknown> {
  const sql = (text: string | null | undefined) => (text === null || text === undefined ? null : foldSql(text));
  return {
    contract: SYNC_CONTRACT,
    mapper: MAPPER,
    tenant_id: tenantId,
    store: { adapter: store.adapter, ontology_tenant: store.ontologyTenant, instance: store.instance },
    dataset_id,
    table_uuid: tableUuid,
    type: { code: entity_type_code, version: entity_type_version, fingerprint: type.fingerprint },
    property_mappings: property_mappings
      .map(({ property, column, expression }) => ({ property, column: column ?? null, expression: sql(expression) }))
      .sort((a, b) => byText(a.property, b.property)),
    primary_key_mapping: primary_key_mapping
      .map(({ column, property }) => ({ column, property }))
      .sort((a, b) => type.primaryKey.indexOf(a.property) - type.primaryKey.indexOf(b.property)),
    relationship_mappings: relationship_mappings
      .map(({ relationship, columns, target_type, target_key, many }) => ({
        relationship,
        columns,
        target_type,
        target_key,
        many,
      }))
      .sort((a, b) => byText(JSON.stringify(a), JSON.stringify(b))),
    row_filter: sql(row_filter),
    identity_policy: identity_policy === null ? null : { ...identity_policy, digest: identityDigest },
    ...policies,
  };
}

/** `v2:` and the SHA-256 of the canonical form (RFC 8785), in hex. Throws `UnhashableSpec`. */
export function specFingerprint(spec: unknown): string {
  assertHashable(spec);
  return `v2:${canonicalSha256(spec)}`;
}

function assertHashable(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new UnhashableSpec('a number is not finite');
  if (typeof value === 'string' && !value.isWellFormed())
    throw new UnhashableSpec('a text has half of a surrogate pair');
  if (['bigint', 'function', 'symbol', 'undefined'].includes(typeof value))
    throw new UnhashableSpec('a value is not one of JSON');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) throw new UnhashableSpec('a name has half of a surrogate pair');
    assertHashable(member);
  }
}
