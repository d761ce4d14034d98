import { failureView, type Kernel } from '@weir/kernel';
import { kernelProblems, type Tenant } from '@weir/kernel/contract';
import type { GroupStepView, PublishMode } from '../contract.ts';
import { TransformEntity, TransformRunEntity } from '../model/entities.ts';
import { StepEntity, StepGroupEntity } from '../model/group/entities.ts';

interface Steps {
  run_id: string;
  publish: PublishMode;
  steps: GroupStepView[];
}

const isoOf = (at: Date | undefined): string | null => at?.toISOString() ?? null;

/** The steps of a whole, which is named by its own run or by one of its parts, in the order in which they are carried out. */
export const stepsOf = ({ db, runs }: Pick<Kernel, 'db' | 'runs'>, tenant: Tenant, runId: string): Promise<Steps> =>
  db(tenant).transaction(async (tx) => {
    const part = await tx.findOne(StepEntity, { runId });
    const whole = await tx.findOne(StepGroupEntity, { runId: part?.groupRunId ?? runId });
    if (whole === undefined) throw kernelProblems.notFound();
    const steps = await tx.find(StepEntity, { groupRunId: whole.runId }, { orderBy: { position: 'asc' } });
    const ids = steps.map((step) => step.runId);
    const rows = await tx.find(TransformRunEntity, { runId: { $in: ids } });
    const own = new Map(rows.map((row) => [row.runId, row]));
    const found = new Map((await runs.findMany(tx, ids)).map((run) => [run.runId, run]));
    const transforms = await tx.find(TransformEntity, {
      transformId: { $in: rows.map(({ transformId }) => transformId) },
    });
    const names = new Map(transforms.map(({ transformId, name }) => [transformId, name]));
    return {
      run_id: whole.runId,
      publish: whole.publish,
      steps: steps.flatMap(
        ({ runId: id, stepId, after, rowsIn, stagedAt, columns, sample, adoptedFrom, notAdopted }) => {
          const [row, run] = [own.get(id), found.get(id)];
          if (row === undefined || run === undefined) return [];
          return [
            {
              step_id: stepId,
              run_id: id,
              transform_id: row.transformId,
              name: names.get(row.transformId) ?? stepId,
              status: run.status,
              after: after.flatMap((position) => steps[position]?.stepId ?? []),
              output: row.output,
              rows_in: rowsIn ?? null,
              rows: row.rowCount ?? null,
              started_at: isoOf(run.startedAt),
              staged_at: isoOf(stagedAt ?? undefined),
              ended_at: isoOf(run.endedAt),
              code: run.failure?.code ?? null,
              reason: row.reason ?? null,
              checks: row.checks,
              failure: run.status === 'failed' ? failureView(run.failure) : null,
              adopted_from: adoptedFrom ?? null,
              not_adopted: notAdopted ?? null,
              columns: columns ?? null,
              sample: sample ?? null,
            },
          ];
        },
      ),
    };
  });
