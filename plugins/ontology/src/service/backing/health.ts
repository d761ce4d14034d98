import type { Kernel } from '@weir/kernel';
import {
  type CheckOutcome,
  counted,
  type FieldFault,
  type Principal,
  Problem,
  type Tenant,
} from '@weir/kernel/contract';
import type { SampledDataset } from '@weir/plugin-datasets/contract';
import type { BackingCheckView } from '../../contract/backing/state.ts';
import type { VersionDocumentView } from '../../contract/documents.ts';
import { mappingFaults } from '../../model/backing/faults.ts';
import type { OntologyStore, StoreCall } from '../../model/entity/store.ts';
import { type BackingDatasetRow, EntityTypeEntity, type EntityTypeRow, TypeVersionEntity } from '../../model/rows.ts';
import type { OntologyTenants } from '../bindings.ts';
import { type Drift, driftOf } from '../sync/drift.ts';
import { type JudgeDeps, ownedElsewhere, targetsOf } from './judge.ts';
import { foundBacking, type LastRun, lastRuns } from './rows.ts';

export interface HealthDeps extends Pick<JudgeDeps, 'samples'> {
  kernel: Pick<Kernel, 'db'>;
  tenants: OntologyTenants;
  store: Pick<OntologyStore, 'reachable' | 'getEntity'>;
}

export type Outcome = Pick<CheckOutcome, 'status' | 'detail' | 'hint'>;
const pass = (detail: string): Outcome => ({ status: 'pass', detail });
const warning = (detail: string, hint: string): Outcome => ({ status: 'warning', detail, hint });
const fail = (detail: string, hint: string): Outcome => ({ status: 'fail', detail, hint });

/** What the checks look at. */
export interface BackingFacts {
  row: BackingDatasetRow;
  /** Its head, and the version of the mapping. */
  type: EntityTypeRow | undefined;
  document: VersionDocumentView | undefined;
  last: LastRun | undefined;
  table: SampledDataset | Problem;
  faults: readonly FieldFault[];
}

/** Whether a sync of a backing dataset can do its work, and how the last one ended. */
export function healthService(deps: HealthDeps) {
  const { kernel, tenants, store } = deps;
  return {
    /** With `drift` entities are read back. Throws `ontology_binding_missing` and `capability_required`. */
    async checks(
      tenant: Tenant,
      principal: Principal,
      { id, drift: asksDrift }: { id: string; drift: boolean },
    ): Promise<{ checks: BackingCheckView[] }> {
      const row = await kernel.db(tenant).transaction((tx) => foundBacking(tx, id));
      const call = { tenant, ontologyTenant: tenants.boundTenant(tenant, principal) };
      const facts = await backingFacts(deps, tenant, row);
      const isReachable = await store.reachable();
      const drift = asksDrift && isReachable ? await driftOutcome(deps, call, facts) : undefined;
      return { checks: checksOf(facts, { isReachable, drift }) };
    },
  };
}

export type HealthService = ReturnType<typeof healthService>;

/** What is known of a backing dataset now. */
export async function backingFacts(
  { kernel, samples }: Pick<HealthDeps, 'kernel' | 'samples'>,
  tenant: Tenant,
  row: BackingDatasetRow,
): Promise<BackingFacts> {
  const table = await samples.describe(tenant, row.datasetId).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  return kernel.db(tenant).transaction(async (tx): Promise<BackingFacts> => {
    const { spec, backingDatasetId: id, entityTypeCode: code, entityTypeVersion: version } = row;
    const type = await tx.findOne(EntityTypeEntity, { code });
    const document = (await tx.findOne(TypeVersionEntity, { code, version }))?.document;
    const last = (await lastRuns(tx, [id])).get(id);
    const known = {
      targets: await targetsOf(tx, spec),
      filledElsewhere: await ownedElsewhere(tx, { spec, backingDatasetId: id }),
    };
    const canJudge = document !== undefined && !(table instanceof Problem);
    const faults = canJudge ? mappingFaults(spec, { ...known, type: document, columns: table.columns }) : [];
    return { row, type, document, last, table, faults };
  });
}

function checksOf(
  facts: BackingFacts,
  { isReachable, drift }: { isReachable: boolean; drift: Outcome | undefined },
): BackingCheckView[] {
  const outcomes: Partial<Record<BackingCheckView['check'], Outcome | undefined>> = {
    binding: pass('The tenant is bound to an ontology tenant.'),
    table: tableOutcome(facts),
    columns: columnsOutcome(facts),
    type_version: typeVersion(facts),
    key_mapped: keyOutcome(facts),
    relationships: relationshipsOutcome(facts),
    store_reachable: reachableOutcome(isReachable),
    last_run: lastRun(facts),
    lag_snapshots: lag(facts.row, facts.table),
    drift,
  };
  return Object.entries(outcomes).flatMap(([check, outcome]) => {
    if (outcome === undefined) return [];
    const { status, detail, hint = null } = outcome;
    return [{ check: check as BackingCheckView['check'], status, detail, hint }];
  });
}

export const tableOutcome = ({ table }: BackingFacts): Outcome =>
  table instanceof Problem
    ? fail('The table cannot be read.', 'Look whether the table is there, and whether the tenant produces it.')
    : pass('The table can be read.');
export const columnsOutcome = (facts: BackingFacts): Outcome =>
  judged(facts, isOfColumns, 'The table has every column that is mapped.');
export const keyOutcome = (facts: BackingFacts): Outcome =>
  judged(facts, isOfKey, 'Columns fill the key and what is required.');
export const relationshipsOutcome = (facts: BackingFacts): Outcome =>
  judged(facts, isOfRelationships, 'Relationships lead to their types by their keys.');
export const reachableOutcome = (isReachable: boolean): Outcome =>
  isReachable
    ? pass('The store of entities answers.')
    : fail('The store of entities does not answer.', 'Look at the status of the ontology.');

const OPEN: readonly string[] = ['pending', 'running'];

/** Whether entities are as they were brought; not looked at while a run changes them. */
export async function driftOutcome(
  deps: Pick<HealthDeps, 'kernel' | 'store'>,
  call: StoreCall,
  { row, last }: BackingFacts,
): Promise<Outcome> {
  if (last !== undefined && OPEN.includes(last.status)) return pass('This is looked at when no sync is open.');
  return driftWords(await driftOf(deps, call, row));
}

function driftWords({ looked, missing, other }: Drift): Outcome {
  if (looked === 0) return pass('No entity is claimed yet.');
  if (missing + other === 0) return pass(`${counted(looked, 'claim')} read back as the table has them.`);
  return warning(
    `Of ${counted(looked, 'claim')} that were read back, ${missing} are missing and ${other} differ.`,
    'Replay every row: force a sync.',
  );
}

const isOfColumns = ({ code }: FieldFault) => code === 'unknown_column' || code === 'not_castable';
const isOfRelationships = (fault: FieldFault) =>
  !isOfColumns(fault) && fault.pointer.startsWith('/relationship_mappings');
const isOfKey = (fault: FieldFault) => !isOfColumns(fault) && !isOfRelationships(fault);

/** What a part of the rules finds, as far as the table and the type are there. */
function judged(
  { faults, document, table }: BackingFacts,
  isMeant: (fault: FieldFault) => boolean,
  whole: string,
): Outcome {
  if (document === undefined || table instanceof Problem)
    return fail('This is known once the table and the entity type can be read.', 'Look at the other checks first.');
  const found = faults.filter(isMeant);
  if (found.length === 0) return pass(whole);
  const [first] = found;
  return fail(
    `${counted(found.length, 'place')} of the mapping: ${first?.pointer} ${first?.message ?? first?.code}.`,
    'Correct the mapping.',
  );
}

export function typeVersion({ type, document, row }: BackingFacts): Outcome {
  if (type === undefined || document === undefined || type.status === 'retired')
    return fail('The entity type is retired, or lacks this version.', 'Bring the type back, or map another one.');
  return type.version === row.entityTypeVersion
    ? pass('The mapping is for the newest version of the entity type.')
    : warning(
        `The entity type is at version ${type.version}, and the mapping is for version ${row.entityTypeVersion}.`,
        'Move the mapping to the newest version when it fits.',
      );
}

export function lastRun({ last }: BackingFacts): Outcome {
  if (last === undefined) return warning('No sync has run yet.', 'Start one.');
  if (last.status === 'failed')
    return fail(`The last sync failed: ${last.failure?.detail ?? 'its failure was not kept'}`, 'Look at its log.');
  return last.status === 'cancelled'
    ? warning('The last sync was cancelled.', 'Start another one.')
    : pass(`The last sync is ${last.status}.`);
}

function lag({ appliedSnapshotId, appliedAt }: BackingDatasetRow, table: SampledDataset | Problem): Outcome {
  if (table instanceof Problem) return fail('The table cannot be read.', 'Look at the other checks first.');
  if (!appliedAt) return warning('Nothing is applied yet.', 'Start a sync.');
  return (appliedSnapshotId ?? null) === table.snapshotId
    ? pass('The newest snapshot of the table is applied.')
    : warning('The table has a newer snapshot than the one that is applied.', 'Start a sync.');
}
