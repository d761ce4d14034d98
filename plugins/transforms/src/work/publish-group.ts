import { faultpoint, type Tenant } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import type { LeasedRun } from '@weir/work';
import { type EndDeps, endStep } from './end-group.ts';
import { NEWEST_SNAPSHOTS, recordCommit } from './record-commit.ts';
import { checkpointKey, type StagedStep } from './step-place.ts';
import type { CarryOutDeps } from './transform-attempt.ts';

/** Times that the steps of a whole are staged, where a table moves meanwhile. */
const MAX_STAGED = 3;

interface StepToPublish extends StagedStep {
  runId: string;
  transformId: string;
  /** Of its checkpoint. */
  key: string;
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
  for (const { table, key } of steps) {
    const stream = { ref: table.ref, streamId: table.streamId, key };
    found.push(await tables.resume(tenant, lease, stream));
  }
  const committed = await Promise.all(steps.map((step, at) => isCommitted(deps, tenant, { step, found: found[at] })));
  if (committed.includes(false)) {
    const follows = (at: number) => {
      const known = found[at]?.follows;
      return known === undefined ? {} : { follows: known.rows };
    };
    const commit = tables.commit(tenant, {
      ...lease,
      together: true,
      tables: steps.map(({ table }, at) => ({ ...table, ...follows(at) })),
      checkpoints: steps.flatMap(({ checkpoint }) => checkpoint ?? []),
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
    const { runId: of, transformId, rows, checkpoint, table } = step;
    const made = { ref: table.ref, runId: of, transformId, rows, isOfPartitions: checkpoint === undefined };
    await recordCommit(deps, { tenant, lease, log }, made);
    await endStep(deps, tenant, step.runId, { status: 'succeeded' });
  }
  log.write({ level: 'info', step: 'commit', message: `${steps.length} tables are published in one commit` });
  return 'published';
}

/** Whether the table has what a step has staged: by its checkpoint, and without one by the snapshot that it drafted. */
async function isCommitted(
  { tables }: PublishDeps,
  tenant: Tenant,
  { step, found }: { step: StepToPublish; found: Awaited<ReturnType<CarryOutDeps['tables']['resume']>> | undefined },
): Promise<boolean> {
  const { checkpoint, runId, table } = step;
  if (checkpoint !== undefined) return found?.checkpoint?.runId === runId;
  const { snapshotId = null } = table;
  if (snapshotId === null) return true;
  const snapshots = await tables.snapshots(tenant, table.ref, { limit: NEWEST_SNAPSHOTS });
  return snapshots.some((one) => one.snapshotId === snapshotId);
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
      `select step.run_id, run.transform_id, run.output, step.staged from transforms.step join transforms.transform_run run
         using (tenant_id, run_id)
       where step.tenant_id = $1 and step.group_run_id = $2 and step.staged is not null order by step.position`,
      [tenant.tenantId, groupRunId],
    ),
  );
  return rows.map(({ run_id, transform_id, output, staged }) => ({
    ...(staged as StagedStep),
    runId: String(run_id),
    transformId: String(transform_id),
    key: checkpointKey(String(transform_id), String(output)),
  }));
}
