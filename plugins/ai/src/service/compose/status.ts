import type { Kernel, Tenant } from '@weir/kernel';
import { contribute } from '@weir/kernel';
import { kernelProblems, type Output, type RunChanged, RunChanges } from '@weir/kernel/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import { type ComposedView, type getComposeStatus, PHASES, type Phase } from '../../contract/compose.ts';
import { ExecutionEntity } from '../../model/entities.ts';
import { AI_COMPOSE, SCHEMA_MATCH } from '../../model/run-kinds.ts';
import { type Executions, envelopeOf } from '../executions.ts';

const KINDS: readonly string[] = [AI_COMPOSE.kind, SCHEMA_MATCH.kind];

/** How far a composition has come. Throws `not_found`. */
export async function composeStatus(
  { kernel, executions }: { kernel: Pick<Kernel, 'db'>; executions: Executions },
  tenant: Tenant,
  executionId: string,
): Promise<Output<typeof getComposeStatus>> {
  const row = await kernel.db(tenant).transaction((tx) => executions.found(tx, executionId));
  if (row.task !== 'compose-pipeline') throw kernelProblems.notFound();
  const phase = (row.phase ?? null) as Phase | null;
  const reached = phase === null ? 0 : PHASES.indexOf(phase) / PHASES.length;
  return {
    ...envelopeOf(row, (row.result ?? null) as ComposedView | null),
    run_id: row.runId ?? null,
    phase,
    progress: row.status === 'succeeded' ? 1 : reached,
  };
}

/** The status of an execution is that of its run; what it worked on goes when it has ended. */
const followRun: RunChanged = async (tx, { run_id, kind, status }) => {
  if (!KINDS.includes(kind)) return;
  await tx.sql(
    `update ai.execution set status = $3::text,
       request = case when $3::text in ('pending', 'running') then request end
     where tenant_id = $1 and run_id = $2`,
    [tx.tenant.tenantId, run_id, status],
  );
};

/** Names of the runs of this plugin, and what follows from their status. */
export const runContributions = (kernel: Pick<Kernel, 'db'>) => [
  // A run that was open when the plugin was switched off ends all the same.
  contribute(RunChanges, followRun, { always: true }),
  contribute(RunSubjectNames, {
    subject: 'execution',
    kinds: KINDS,
    async names(tenant, ids) {
      const where = { executionId: { $in: [...ids] } };
      const rows = await kernel.db(tenant).transaction((tx) => tx.find(ExecutionEntity, where));
      return new Map(rows.map(({ executionId, task }) => [executionId, task]));
    },
  }),
];
