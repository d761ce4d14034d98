import type { Kernel, TenantTransaction } from '@weir/kernel';
import { TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { transformProblems } from '../contract.ts';
import { StepGroupEntity } from '../model/group/entities.ts';
import { MATERIALIZATION_KIND } from '../model/run-kinds.ts';

/** Whether the steps of a whole may have results that no table has; throws `resume_refused` with why they cannot. */
export async function assertResumable(
  { runs }: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  runId: string,
): Promise<void> {
  const group = await tx.findOne(StepGroupEntity, { runId });
  const [whole] = group === undefined ? [] : await runs.findMany(tx, [runId]);
  if (group === undefined || whole === undefined) throw resumeRefused('run_unknown');
  if (!TERMINAL_RUN_STATUSES.includes(whole.status)) throw resumeRefused('run_open');
  const isDone = whole.status === 'succeeded' || whole.status === 'skipped';
  if (isDone && group.publish !== 'none') throw resumeRefused('run_published');
}

/** The same of a whole that people resume: one that they started, and that published together. */
export async function assertTogether(kernel: Pick<Kernel, 'runs'>, tx: TenantTransaction, runId: string) {
  const group = await tx.findOne(StepGroupEntity, { runId });
  const [whole] = await kernel.runs.findMany(tx, [runId]);
  if (group?.publish === 'none' || whole?.kind !== MATERIALIZATION_KIND) throw resumeRefused('run_unknown');
  if (group?.publish === 'each') throw resumeRefused('published_each');
  await assertResumable(kernel, tx, runId);
}

export const resumeRefused = (code: string, pointer = '/resume_run_id') =>
  transformProblems.resumeRefused({ errors: [{ pointer, code }] });
