import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import type { Principal } from '@weir/kernel/contract';
import type { InputsService, PinnedInput } from '@weir/plugin-datasets/contract';
import type { OntologyStore } from '../../model/entity/store.ts';
import { type BackingDatasetRow, TypeVersionEntity, type TypeVersionRow } from '../../model/rows.ts';
import { effectiveSpec, specFingerprint } from '../../model/sync/fingerprint.ts';
import type { Mapping } from '../../model/sync/mapping.ts';
import type { OntologyTenants } from '../bindings.ts';
import { syncFailed } from './sync-failures.ts';
import { keysOf } from './sync-type.ts';

export interface EffectiveDeps {
  kernel: Pick<Kernel, 'db'>;
  inputs: Pick<InputsService, 'pin'>;
  tenants: OntologyTenants;
  store: Pick<OntologyStore, 'capabilities'>;
}

type Spec = BackingDatasetRow['spec'];

/** What a sync of a document is: its fingerprint, and how rows become entities. */
export interface EffectiveSync {
  fingerprint: string;
  mapping: Mapping;
  version: TypeVersionRow;
}

/** The effective specification of a document over a pinned table. Throws `ontology_binding_missing`, and a failure for a version of the type that is not there. */
export async function effectiveOver(
  { kernel, tenants, store }: Omit<EffectiveDeps, 'inputs'>,
  { tenant, principal }: { tenant: Tenant; principal: Principal },
  spec: Spec,
  { tableUuid }: Pick<PinnedInput, 'tableUuid'>,
): Promise<EffectiveSync> {
  const ontologyTenant = tenants.boundTenant(tenant, principal);
  const { version, targets } = await kernel.db(tenant).transaction((tx) => typesOf(tx, spec));
  const { document, fingerprint } = version;
  const fingerprinted = effectiveSpec(spec, {
    tenantId: tenant.tenantId,
    store: { adapter: store.capabilities().adapter, ontologyTenant, instance: null },
    tableUuid,
    type: { fingerprint, primaryKey: document.primary_key },
    identityDigest: null,
  });
  return { fingerprint: specFingerprint(fingerprinted), mapping: { spec, type: document, targets }, version };
}

async function typesOf(tx: TenantTransaction, spec: Spec) {
  const { entity_type_code: code, entity_type_version: number } = spec;
  const version = await tx.findOne(TypeVersionEntity, { code, version: number });
  if (version === undefined) throw syncFailed('type_version_missing');
  const targets = await keysOf(
    tx,
    spec.relationship_mappings.map(({ target_type }) => target_type),
  );
  return { version, targets };
}

/**
 * The fingerprint that a sync of a document would attempt now. Throws what the table and the binding throw:
 * `dataset_not_readable`, `not_found`, `ontology_binding_missing`.
 */
export async function currentFingerprint(
  deps: EffectiveDeps,
  by: { tenant: Tenant; principal: Principal },
  spec: Spec,
): Promise<string> {
  const [pin] = await deps.inputs.pin(by.tenant, [{ datasetId: spec.dataset_id }]);
  return (await effectiveOver(deps, by, spec, { tableUuid: pin?.tableUuid ?? '' })).fingerprint;
}
