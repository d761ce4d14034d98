import { type Kernel, requireMatch, type TenantTransaction } from '@weir/kernel';
import { kernelProblems, type Tenant } from '@weir/kernel/contract';
import type { EventsService } from '@weir/plugin-platform/contract';
import type { FactsService } from '@weir/plugin-transforms/contract';
import { PIPELINE } from '../contract.ts';
import { PipelineEntity, type PipelineRow, type Step, VersionEntity, type VersionRow } from '../model/entities.ts';
import { statesOf } from '../model/states.ts';
import { type KnownStep, knownSteps } from './known-steps.ts';

export interface ChangeDeps {
  kernel: Pick<Kernel, 'db'>;
  facts: FactsService;
  /** Absent when the deployment leaves that plugin out. */
  events: EventsService | undefined;
}

/** The pipeline; `not_found` for absent, foreign and deleted ones alike. */
export async function foundPipeline(
  tx: TenantTransaction,
  pipelineId: string,
  options?: { lock: boolean },
): Promise<PipelineRow> {
  const row = await tx.findOne(PipelineEntity, { pipelineId, archivedAt: null }, options);
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

/** A version of a pipeline; throws `not_found`. */
export async function foundVersion(tx: TenantTransaction, pipelineId: string, version: number): Promise<VersionRow> {
  const row = await tx.findOne(VersionEntity, { pipelineId, version });
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

type Changes = Partial<
  Omit<PipelineRow, 'tenantId' | 'pipelineId' | 'status' | 'draftState' | 'version' | 'updatedAt'>
>;

/** Writes changes with the states that follow from them, and tells the readers of events. */
export async function writeChanges(
  { events }: Pick<ChangeDeps, 'events'>,
  tx: TenantTransaction,
  row: PipelineRow,
  changes: Changes,
  { isSilent = false } = {},
): Promise<PipelineRow> {
  // What people did not ask for leaves the etag that they have read as it is.
  const counted = isSilent ? {} : { version: row.version + 1, updatedAt: new Date() };
  const changed = await tx.update(row, { ...changes, ...statesOf({ ...row, ...changes }), ...counted });
  await publishPipeline(events, tx, changed);
  return changed;
}

export async function publishPipeline(
  events: EventsService | undefined,
  tx: TenantTransaction,
  { pipelineId, version, status, draftState, archivedAt }: PipelineRow,
): Promise<void> {
  const shown = archivedAt ? 'deleted' : `${version}-${status}-${draftState}`;
  await events?.publish(tx, { topic: PIPELINE, id: pipelineId, version: shown });
}

/** Who changes which pipeline, as they have read it. */
export interface Changing {
  pipelineId: string;
  ifMatch: string | undefined;
}

/**
 * Changes a pipeline whose row is locked. Transforms are locked before pipelines, as their own changes do: what is known of the
 * steps holds until the end. Throws `not_found`, `precondition_failed`, and `conflict` where the steps changed meanwhile.
 */
export const changePipeline = <R>(
  { kernel, facts }: Pick<ChangeDeps, 'kernel' | 'facts'>,
  tenant: Tenant,
  { pipelineId, ifMatch }: Changing,
  work: (tx: TenantTransaction, row: PipelineRow, steps: KnownStep[]) => Promise<R>,
): Promise<R> =>
  kernel.db(tenant).transaction(async (tx) => {
    const { steps, version } = await foundPipeline(tx, pipelineId);
    const [known = []] = await knownSteps(facts, tx, [steps], { lock: true });
    const row = await foundPipeline(tx, pipelineId, { lock: true });
    if (row.version !== version) throw kernelProblems.conflict();
    requireMatch(ifMatch, String(row.version));
    return work(tx, row, known);
  });

/** The steps of a pipeline, or of a version of it, take the places of those that it had. */
export async function keepUses(
  tx: TenantTransaction,
  { pipelineId, version }: { pipelineId: string; version: number },
  steps: readonly Pick<Step, 'transform_id'>[],
): Promise<void> {
  const own = [tx.tenant.tenantId, pipelineId, version];
  await tx.sql('delete from pipelines.uses where tenant_id = $1 and pipeline_id = $2 and version = $3', own);
  await tx.sql(
    `insert into pipelines.uses (tenant_id, pipeline_id, version, transform_id)
     select $1, $2, $3, transform_id from unnest($4::uuid[]) as transform_id`,
    [...own, [...new Set(steps.map(({ transform_id }) => transform_id))]],
  );
}
