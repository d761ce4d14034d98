import type { Kernel, RunRecord } from '@weir/kernel';
import { type Input, runProblems, TERMINAL_RUN_STATUSES, type Tenant } from '@weir/kernel/contract';
import {
  type completeRun,
  type createRun,
  DEFAULT_DEADLINE_SECONDS,
  EXTERNAL_RUN,
  type failRun,
  type RunView,
  reportProblems,
  type startRun,
} from '../contract.ts';
import type { runsService } from './runs.ts';

const MS_PER_SECOND = 1_000;

export interface ReportDeps {
  kernel: Pick<Kernel, 'runs' | 'db'>;
  runs: ReturnType<typeof runsService>;
}

/** A run by its id, and the subject of the client that reports it. */
interface Reported {
  id: string;
  by: string;
}

type Outcome = Parameters<Kernel['runs']['finish']>[2];

/** Runs that a service carries out: it creates them, and says when they begin and how they end. */
export function reportService({ kernel, runs }: ReportDeps) {
  /** The run, when this client and orchestrator run may still report it. Any viewer can read the name of the latter. */
  const reported = async (tenant: Tenant, { id, by }: Reported, orchestratorRunId: string): Promise<RunRecord> => {
    const run = await runs.find(tenant, id);
    if (run.carriedBy !== 'caller') throw reportProblems.runNotReported();
    if (run.requestedBy !== by) throw reportProblems.runOfAnotherClient();
    if (run.orchestratorRunId !== orchestratorRunId) throw reportProblems.orchestratorRunDiffers();
    if (run.failure?.code === runProblems.runPastDeadline.entry.code) throw runProblems.runPastDeadline();
    if (TERMINAL_RUN_STATUSES.includes(run.status)) throw runProblems.runNotActive();
    if (run.deadline !== undefined && run.deadline.getTime() <= Date.now()) throw runProblems.runPastDeadline();
    return run;
  };
  const view = async (tenant: Tenant, id: string): Promise<RunView> => runs.view(tenant, await runs.find(tenant, id));
  const end = async (tenant: Tenant, run: RunRecord, outcome: Outcome): Promise<RunView> => {
    if (!(await kernel.runs.finish(tenant, run.runId, outcome))) throw runProblems.runNotActive();
    return view(tenant, run.runId);
  };
  return {
    async create(tenant: Tenant, requestedBy: string, body: Input<typeof createRun>['body']): Promise<RunView> {
      const { orchestrator_run_id: orchestratorRunId, subject_id: subjectId, parent_run_id: parentRunId } = body;
      const same = { subjectId, orchestratorRunId };
      // Of whichever kind: a transform takes such a run over as its own.
      const refuseKnown = async () => {
        const [known] = (await kernel.runs.page(tenant, same, { limit: 1 })).items;
        if (known !== undefined) throw reportProblems.orchestratorRunKnown({ members: { run_id: known.runId } });
      };
      await refuseKnown();
      const deadline = new Date(Date.now() + (body.deadline_seconds ?? DEFAULT_DEADLINE_SECONDS) * MS_PER_SECOND);
      const run = {
        ...same,
        kind: EXTERNAL_RUN,
        requestedBy,
        deadline,
        parentRunId,
        admitted: await kernel.runs.admit(EXTERNAL_RUN),
      };
      const start = kernel.db(tenant).transaction((tx) => kernel.runs.start(tx, run));
      const { run_id } = await start.catch(async (error) => {
        // Another call may have made it a moment ago.
        await refuseKnown();
        throw error;
      });
      return view(tenant, run_id);
    },

    async start(tenant: Tenant, what: Reported, body: Input<typeof startRun>['body']): Promise<RunView> {
      const run = await reported(tenant, what, body.orchestrator_run_id);
      const begun = run.status === 'running' || (await kernel.runs.begin(tenant, run.runId)) !== undefined;
      if (!begun) throw runProblems.runNotActive();
      return view(tenant, run.runId);
    },

    async complete(tenant: Tenant, what: Reported, body: Input<typeof completeRun>['body']): Promise<RunView> {
      const run = await reported(tenant, what, body.orchestrator_run_id);
      return end(tenant, run, { status: body.status ?? 'succeeded' });
    },

    async fail(tenant: Tenant, what: Reported, body: Input<typeof failRun>['body']): Promise<RunView> {
      const {
        orchestrator_run_id,
        code = 'external_failure',
        detail,
        hint,
        origin = 'platform',
        retryable = false,
      } = body;
      const run = await reported(tenant, what, orchestrator_run_id);
      const failure = { code, origin, retryable, detail, ...(hint === undefined ? {} : { hint }) };
      return end(tenant, run, { status: 'failed', failure });
    },
  };
}
