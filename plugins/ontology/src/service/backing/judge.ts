import type { Kernel, TenantTransaction } from '@weir/kernel';
import { type FieldFault, kernelProblems, Problem, type Tenant } from '@weir/kernel/contract';
import type { SamplesService } from '@weir/plugin-datasets/contract';
import type { DefinitionsService } from '@weir/plugin-transforms/contract';
import type { BackingSpecView } from '../../contract/backing/document.ts';
import { backingProblems } from '../../contract/backing/problems.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';
import { mappingFaults } from '../../model/backing/faults.ts';
import type { OntologyStore } from '../../model/entity/store.ts';
import { EntityTypeEntity, TypeVersionEntity } from '../../model/rows.ts';
import { expressionFaults } from './expressions.ts';

export interface JudgeDeps {
  kernel: Pick<Kernel, 'db'>;
  samples: Pick<SamplesService, 'describe'>;
  definitions: Pick<DefinitionsService, 'validate'>;
  store: Pick<OntologyStore, 'capabilities'>;
}

/** A mapping that is judged, and which backing dataset it becomes; undefined: a new one. */
export interface Judged {
  spec: BackingSpecView;
  backingDatasetId: string | undefined;
}

/** Versions of a type that are planned and not there yet, by its code. */
export type PlannedVersions = (code: string) => ReadonlyMap<number, VersionDocumentView>;

/** The type at the version of a mapping; throws `entity_type_missing`, also for a retired one. */
export async function mappedType(
  tx: TenantTransaction,
  { entity_type_code: code, entity_type_version: version }: BackingSpecView,
): Promise<VersionDocumentView> {
  const row = await tx.findOne(EntityTypeEntity, { code, status: { $ne: 'retired' } });
  const found = row && (await tx.findOne(TypeVersionEntity, { code, version }));
  if (found === undefined) throw backingProblems.entityTypeMissing();
  return found.document;
}

const NEIGHBOURS = `
select t.code, v.document from ontology.entity_type t
join ontology.entity_type_version v on v.tenant_id = t.tenant_id and v.code = t.code and v.version = t.version
where t.tenant_id = $1 and t.code = any ($2)`;

/** The types that relationships of a mapping lead to, in their newest versions, as far as they are there. */
export async function targetsOf(
  tx: TenantTransaction,
  { relationship_mappings }: { relationship_mappings: readonly { target_type: string }[] },
) {
  const codes = relationship_mappings.map(({ target_type }) => target_type);
  const { rows } = await tx.sql(NEIGHBOURS, [tx.tenant.tenantId, codes]);
  return new Map(rows.map(({ code, document }) => [String(code), document as VersionDocumentView]));
}

const ELSEWHERE = `
select mapping ->> 'property' as property, d.name
from ontology.backing_dataset d, jsonb_array_elements(d.spec -> 'property_mappings') mapping
where d.tenant_id = $1 and d.entity_type_code = $2 and d.spec ->> 'merge_mode' = 'owned_properties'
  and d.backing_dataset_id is distinct from $3::uuid`;

/** The properties that other backing datasets of the type own. */
export async function ownedElsewhere(
  tx: TenantTransaction,
  { spec, backingDatasetId }: Judged,
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.sql(ELSEWHERE, [tx.tenant.tenantId, spec.entity_type_code, backingDatasetId ?? null]);
  return new Set(rows.map(({ property }) => String(property)));
}

/** The columns of a table; throws `invalid_dataset_id`, `dataset_not_readable`, and `backing_dataset_invalid` for a missing one. */
async function columnsOf({ samples }: Pick<JudgeDeps, 'samples'>, tenant: Tenant, datasetId: string) {
  try {
    return (await samples.describe(tenant, datasetId)).columns;
  } catch (error) {
    if (!(error instanceof Problem) || error.entry !== kernelProblems.notFound().entry) throw error;
    const errors = [{ pointer: '/dataset_id', code: 'not_found' }];
    throw backingProblems.backingInvalid({ errors });
  }
}

/**
 * Whether a mapping fits its table and its type, in the order of the ladder: the table, the policy, the type, the mapping. Throws
 * `identity_policy_unsupported`, `entity_type_missing` and `backing_dataset_invalid`, then what reading the table does.
 */
export async function assertFitting(
  deps: JudgeDeps,
  tenant: Tenant,
  judged: Judged & { signal: AbortSignal; planned?: PlannedVersions },
): Promise<{ type: VersionDocumentView }> {
  const { spec, signal, planned = () => new Map() } = judged;
  const columns = await columnsOf(deps, tenant, spec.dataset_id);
  if (spec.identity_policy !== null) throw backingProblems.identityPolicyUnsupported();
  if (spec.merge_mode === 'owned_properties' && deps.store.capabilities().adapter !== 'embedded')
    throw invalid([{ pointer: '/merge_mode', code: 'unsupported', message: UNMERGED }]);
  const found = await deps.kernel.db(tenant).transaction(async (tx) => ({
    type: planned(spec.entity_type_code).get(spec.entity_type_version) ?? (await mappedType(tx, spec)),
    targets: withPlanned(await targetsOf(tx, spec), spec, planned),
    filledElsewhere: await ownedElsewhere(tx, judged),
  }));
  const faults = mappingFaults(spec, { ...found, columns });
  if (faults.length > 0) throw invalid(faults);
  const written = await expressionFaults(deps, tenant, { spec, type: found.type, columns, signal });
  if (written.length > 0) throw invalid(written);
  return found;
}

const UNMERGED = 'must be replace: entities are kept by an ontology service, which merges no properties';

/** The targets of relationships with those that are planned in their newest versions. */
function withPlanned(
  there: ReadonlyMap<string, VersionDocumentView>,
  { relationship_mappings }: BackingSpecView,
  planned: PlannedVersions,
): ReadonlyMap<string, VersionDocumentView> {
  const newest = relationship_mappings.flatMap(({ target_type }) =>
    [...planned(target_type).values()].slice(-1).map((document) => [target_type, document] as const),
  );
  return new Map([...there, ...newest]);
}

const invalid = (errors: FieldFault[]) => backingProblems.backingInvalid({ errors });

/**
 * Under the lock of the types. Throws `entity_type_missing` for a type that was retired since the mapping was judged, and
 * `property_taken` for properties that another backing dataset owns.
 */
export async function assertOwned(tx: TenantTransaction, judged: Judged, type?: VersionDocumentView): Promise<void> {
  const { spec } = judged;
  const { primary_key } = type ?? (await mappedType(tx, spec));
  if (spec.merge_mode !== 'owned_properties') return;
  const taken = await ownedElsewhere(tx, judged);
  const errors = spec.property_mappings.flatMap(({ property }, index) =>
    taken.has(property) && !primary_key.includes(property)
      ? [{ pointer: `/property_mappings/${index}/property`, code: 'taken' }]
      : [],
  );
  if (errors.length > 0) throw backingProblems.propertyTaken({ errors });
}
