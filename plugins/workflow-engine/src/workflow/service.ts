import type { Kernel, RunRecord, Tenant, WorkflowEngineService } from '@weir/kernel';
import { kernelProblems, type Output, TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import type { cancelWorkflow, getWorkflow, WorkflowRunView } from '../contract.ts';
import type { WaitForEnd } from './wait-for-end.ts';
import { workflowRunView } from './workflow-run-view.ts';

const MS_PER_SECOND = 1_000;

export interface WorkflowDeps {
  kernel: Pick<Kernel, 'runs'>;
  engine: Pick<WorkflowEngineService, 'describe'>;
  wait: WaitForEnd;
}

/** Looking at, cancelling and waiting for the workflows of a tenant; each is found through a run of the tenant only. */
export function workflowService({ kernel, engine, wait }: WorkflowDeps) {
  const runOf = async (tenant: Tenant, id: string): Promise<RunRecord> => {
    const run = await kernel.runs.find(tenant, id);
    if (run === undefined) throw kernelProblems.notFound();
    return run;
  };
  return {
    async get(tenant: Tenant, id: string): Promise<Output<typeof getWorkflow>> {
      const run = await runOf(tenant, id);
      const [asked, worker] = await Promise.all([described(engine, run), kernel.runs.worker(tenant, run)]);
      return { ...workflowRunView(run), ...asked, worker: worker ?? null };
    },

    async cancel(tenant: Tenant, id: string): Promise<Output<typeof cancelWorkflow>> {
      const run = await runOf(tenant, id);
      const state = await kernel.runs.cancel(tenant, run);
      return { run_id: run.runId, workflow_id: run.workflowId, state };
    },

    async wait(
      tenant: Tenant,
      id: string,
      limits: { timeoutSeconds: number; signal: AbortSignal },
    ): Promise<WorkflowRunView> {
      const { timeoutSeconds, signal } = limits;
      const seen = await wait(
        () => runOf(tenant, id),
        ({ status }) => TERMINAL_RUN_STATUSES.includes(status),
        { timeoutMs: timeoutSeconds * MS_PER_SECOND, signal },
      );
      return workflowRunView(seen);
    },
  };
}

/** What the engine says of the workflow of a run; an engine that is away is told apart from one that has forgotten it. */
async function described(
  engine: WorkflowDeps['engine'],
  { workflowId }: RunRecord,
): Promise<Pick<Output<typeof getWorkflow>, 'engine_reachable' | 'engine'>> {
  const answered = await engine.describe(workflowId).then(
    (found) => ({ found }),
    () => undefined,
  );
  const found = answered?.found;
  if (found === undefined) return { engine_reachable: answered !== undefined, engine: null };
  const engineView = {
    status: found.status,
    type: found.type,
    started_at: found.startedAt.toISOString(),
    closed_at: found.closedAt?.toISOString() ?? null,
    history_length: found.historyLength,
    pending_activities: found.pendingActivities.map(({ type, state, attempt, lastStartedAt, lastHeartbeatAt }) => ({
      ...{ type, state, attempt },
      last_started_at: lastStartedAt?.toISOString() ?? null,
      last_heartbeat_at: lastHeartbeatAt?.toISOString() ?? null,
    })),
  };
  return { engine_reachable: true, engine: engineView };
}
