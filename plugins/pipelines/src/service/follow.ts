import type { TenantTransaction } from '@weir/kernel';
import type { RunChanged, RunsDropped } from '@weir/kernel/contract';
import { type TransformChanged, transformProblems } from '@weir/plugin-transforms/contract';
import { PIPELINE_RUN, PIPELINE_SANDBOX } from '../contract.ts';
import { PipelineEntity, PipelineRunEntity } from '../model/entities.ts';
import { fingerprintNow, knownSteps } from './known-steps.ts';
import { type ChangeDeps, writeChanges } from './rows.ts';

type FollowDeps = Pick<ChangeDeps, 'facts' | 'events'>;

/** Fingerprints that are remembered as rehearsed. */
const MAX_REHEARSED = 100;

/** Keeps the status of a run beside what it does for its pipeline, and notes a rehearsal that ended well. */
export const followRuns =
  ({ events }: Pick<FollowDeps, 'events'>): RunChanged =>
  async (tx, { run_id, kind, status }) => {
    if (kind !== PIPELINE_RUN && kind !== PIPELINE_SANDBOX) return;
    // Every transaction in which a run changes is one of the kernel's.
    const own = tx as TenantTransaction;
    const run = await own.findOne(PipelineRunEntity, { runId: run_id });
    if (run === undefined) return;
    await own.update(run, { status });
    if (kind !== PIPELINE_SANDBOX || (status !== 'succeeded' && status !== 'skipped')) return;
    const row = await own.findOne(PipelineEntity, { pipelineId: run.pipelineId, archivedAt: null }, { lock: true });
    if (row === undefined) return;
    const { fingerprint } = run;
    const rehearsed = [...row.rehearsed.filter((one) => one !== fingerprint), fingerprint].slice(-MAX_REHEARSED);
    const { rows } = await own.sql('select requested_by from kernel.run where run_id = $1', [run_id]);
    const by = String(rows[0]?.requested_by);
    const sandboxed = { fingerprint, at: new Date().toISOString(), by, run_id };
    const isOfNow = fingerprint === row.fingerprint;
    await writeChanges({ events }, own, row, { rehearsed, ...(isOfNow && { sandboxed }) }, { isSilent: true });
  };

/** Pipelines follow what becomes of their transforms; one that a pipeline has is not deleted. */
export const followTransforms =
  ({ facts, events }: FollowDeps): TransformChanged =>
  async (tx, { transform_id, change }) => {
    if (change === 'made') return;
    const own = tx as TenantTransaction;
    const { rows } = await tx.sql(
      `select distinct pipeline_id, bool_or(version = 0) as of_draft from pipelines.uses
       where tenant_id = $1 and transform_id = $2 group by pipeline_id order by pipeline_id`,
      [tx.tenant.tenantId, transform_id],
    );
    const ids = rows.map(({ pipeline_id }) => String(pipeline_id));
    if (ids.length === 0) return;
    if (change === 'deleted') throw transformProblems.transformInUse({ members: { pipeline_ids: ids } });
    if (change !== 'hydrated') return;
    for (const { pipeline_id } of rows.filter(({ of_draft }) => of_draft === true)) {
      const row = await own.findOne(PipelineEntity, { pipelineId: String(pipeline_id) }, { lock: true });
      if (row === undefined) continue;
      const [steps = []] = await knownSteps(facts, own, [row.steps]);
      const fingerprint = fingerprintNow(steps, row.publish);
      if (fingerprint !== row.fingerprint)
        await writeChanges({ events }, own, row, { fingerprint }, { isSilent: true });
    }
  };

/** Forgets what deleted runs did for pipelines. */
export const dropRuns: RunsDropped = async (tx, runIds) => {
  await tx.sql('delete from pipelines.run where tenant_id = $1 and run_id = any ($2::uuid[])', [
    tx.tenant.tenantId,
    runIds,
  ]);
};
