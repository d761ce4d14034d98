import { faultpoint, type Tenant } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import type { LeasedRun } from '@weir/work';
import { type EndDeps, endStep } from './end-group.ts';
import { recordCommit } from './record-commit.ts';
import type { StagedStep } from './step-place.ts';
import type { CarryOutDeps } from './transform-attempt.ts';

/** Times that the steps of a whole are staged, where a table moves meanwhile. */
const MAX_STAGED = 3;

interface StepToPublish extends StagedStep {
  runId: string;
  transformId: string;
}

type PublishDeps = Pick<CarryOutDeps, 'kernel' | 'tables' | 'inputs'> & EndDeps;

/**
 * Publishes in one commit what the steps of a whole have staged, for the n-th time (`staged`), and ends them; records a commit that
 * has landed unrecorded. `moved`: a table has other rows than a step has read. Nothing is published, and all are to be staged again.
 */
export async function publishGroup(
  deps: PublishDeps,
  { tenant, run: { runId }, leaseEpoch, log }: Pick<LeasedRun, 'tenant' | 'run' | 'leaseEpoch' | 'log'>,
  staged: number,
): Promise<'published' | 'moved'> {
  const { kernel, tables } = deps;
  const steps = await stagedSteps(deps, tenant, runId);
  if (steps.length === 0) return 'published';
  const lease = { runId, leaseEpoch };
  const found: Awaited<ReturnType<typeof tables.resume>>[] = [];
  for (const { table, checkpoint } of steps) {
    const stream = { ref: table.ref, streamId: table.streamId, key: checkpoint.key };
    found.push(await tables.resume(tenant, lease, stream));
  }
  const isCommitted = steps.every((step, at) => found[at]?.checkpoint?.runId === step.runId);
  if (!isCommitted) {
    const follows = (at: number) => {
      const known = found[at]?.follows;
      return known === undefined ? {} : { follows: known.rows };
    };
    const commit = tables.commit(tenant, {
      ...lease,
      together: true,
      tables: steps.map(({ table }, at) => ({ ...table, ...follows(at) })),
      checkpoints: steps.map(({ checkpoint }) => checkpoint),
    });
    const isMoved = await commit.then(
      () => false,
      (error: unknown) => {
        if (hasMoved(error) && staged < MAX_STAGED) return true;
        throw error;
      },
    );
    if (isMoved) {
      log.write({ level: 'warn', step: 'commit', message: 'a table has moved on: the steps are staged again' });
      await kernel.db(tenant).transaction(async (tx) => {
        await kernel.runs.assertLease(tx, runId, leaseEpoch);
        await tx.sql(STAGE_AGAIN, [tenant.tenantId, runId]);
      });
      return 'moved';
    }
  }
  await faultpoint('T3');
  for (const step of steps) {
    const { ref } = step.table;
    const made = { ref, runId: step.runId, transformId: step.transformId, rows: step.checkpoint.counters.rows };
    await recordCommit(deps, { tenant, lease, log }, made);
    await endStep(deps, tenant, step.runId, { status: 'succeeded' });
  }
  log.write({ level: 'info', step: 'commit', message: `${steps.length} tables are published in one commit` });
  return 'published';
}

/** What was taken over is of rows that have moved, and is staged again as all others. */
const STAGE_AGAIN = `
update transforms.step set staged = null, staged_at = null, adopted_from = null,
  not_adopted = case when adopted_from is null then not_adopted else 'inputs_moved' end
where tenant_id = $1 and group_run_id = $2`;

/** The table has other rows than a step has read, or other columns: what a commit brings under ids given meanwhile conflicts. */
const MOVED: readonly string[] = [datasetProblems.baseMoved.entry.code, datasetProblems.commitConflict.entry.code];

const hasMoved = (error: unknown): boolean => error instanceof Problem && MOVED.includes(error.code);

async function stagedSteps({ kernel }: PublishDeps, tenant: Tenant, groupRunId: string): Promise<StepToPublish[]> {
  const { rows } = await kernel.db(tenant).transaction((tx) =>
    tx.sql(
      `select step.run_id, run.transform_id, step.staged from transforms.step join transforms.transform_run run
         using (tenant_id, run_id)
       where step.tenant_id = $1 and step.group_run_id = $2 and step.staged is not null order by step.position`,
      [tenant.tenantId, groupRunId],
    ),
  );
  return rows.map(({ run_id, transform_id, staged }) => ({
    ...(staged as StagedStep),
    runId: String(run_id),
    transformId: String(transform_id),
  }));
}
