import { type GivenBackingBody, wholeBacking, wholeSpec } from '../src/contract/backing/document.ts';
import { type EffectiveParts, effectiveSpec, specFingerprint } from '../src/model/sync/fingerprint.ts';

/** A backing dataset in which every member has a value that is not its default. */
export const BACKING: GivenBackingBody = {
  name: 'fleet',
  dataset_id: 'silver.acme.vehicles',
  entity_type_code: 'Vehicle',
  entity_type_version: 3,
  property_mappings: [
    { column: 'vin', property: 'vin' },
    { column: 'country', property: 'country' },
    { expression: 'upper(label)', property: 'label' },
  ],
  primary_key_mapping: [
    { column: 'country', property: 'country' },
    { column: 'vin', property: 'vin' },
  ],
  relationship_mappings: [
    { relationship: 'owner', columns: ['owner_id'], target_type: 'Person', target_key: ['id'] },
    { relationship: 'parts', columns: ['part_ids'], target_type: 'Part', target_key: ['id'], many: 'split' },
  ],
  row_filter: 'not scrapped',
  delete_policy: 'never',
  duplicate_keys: { last_by: 'changed_at' },
  null_keys: 'skip',
  identity_policy: { policy_id: 'ip_0199d3f25c1e7a409b6d3f1c2a7e8d90', version: 2 },
  merge_mode: 'owned_properties',
  max_rejected_rows: 5,
  sync: 'manual',
};

export const PARTS: EffectiveParts = {
  tenantId: '0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90',
  store: { adapter: 'embedded', ontologyTenant: 'acme-ontology', instance: null },
  tableUuid: '5f0b9f0e-7a53-4c8e-9a1c-0e8f6f0c2d11',
  type: { fingerprint: 'v1:0f', primaryKey: ['country', 'vin'] },
  identityDigest: 'sha256:aa',
};

/** The fingerprint of a backing dataset as a request gives it. */
export function fingerprintOf(given: Partial<GivenBackingBody> = {}, parts: Partial<EffectiveParts> = {}): string {
  const { name: _, max_rejected_rows: _m, sync: _s, ...spec } = { ...BACKING, ...given };
  return specFingerprint(effectiveSpec(wholeSpec(spec), { ...PARTS, ...parts }));
}

/** The same through the whole document, of which a sync leaves some members out. */
export function fingerprintOfDocument(given: GivenBackingBody): string {
  const { name: _, max_rejected_rows: _m, sync: _s, ...spec } = wholeBacking(given);
  return specFingerprint(effectiveSpec(spec, PARTS));
}
