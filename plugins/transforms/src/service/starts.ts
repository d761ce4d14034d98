import { contribute, type RunRecord, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Principal, type Tenant } from '@weir/kernel/contract';
import type { AlsoAtStart } from '@weir/plugin-schedules/contract';
import { WorkflowStarts } from '@weir/plugin-workflow-engine/contract';
import { type executeTransform, type materializeTransforms, TransformStart, transformProblems } from '../contract.ts';
import { TransformEntity, TransformRunEntity } from '../model/entities.ts';
import { MATERIALIZATION_KIND, TRANSFORM_KIND } from '../model/run-kinds.ts';
import { transformRunView } from '../model/run-view.ts';
import { groupService, type StartDeps } from './groups.ts';
import { assertTogether, resumeRefused } from './resumable.ts';
import { foundTransform } from './transform/rows.ts';

/** Who asks for a run, and how. */
export interface AskedRun {
  requestedBy: string;
  queue?: boolean | undefined;
  force?: boolean | undefined;
  full?: boolean | undefined;
}

type ExecuteBody = Input<typeof executeTransform>['body'];
type GroupBody = NonNullable<Input<typeof materializeTransforms>['body']>;

/** Starting and cancelling the runs of transforms. */
export function startService(kernel: StartDeps) {
  const groups = groupService(kernel);

  /** A whole of one step. */
  const startOne = (
    tenant: Tenant,
    { transformId, orchestratorRunId }: { transformId: string; orchestratorRunId?: string },
    { requestedBy, queue, force, full }: AskedRun,
    also?: Parameters<typeof groups.startWhole>[2],
  ) => {
    const steps = [{ stepId: transformId, transformId, force, full }];
    const whole = { kind: MATERIALIZATION_KIND, subjectId: transformId, publish: 'each' as const };
    const orchestrated = orchestratorRunId === undefined ? {} : { orchestratorRunId };
    return groups.startWhole(
      tenant,
      { ...whole, ...orchestrated, requestedBy, queue, steps, triggeredBy: transformId },
      also,
    );
  };

  const foundRun = async (tenant: Tenant, runId: string): Promise<RunRecord> => {
    const run = await kernel.runs.find(tenant, runId, TRANSFORM_KIND);
    if (run === undefined) throw kernelProblems.notFound();
    return run;
  };

  const service = {
    /** Starts a run under an orchestrator run of its own; `also` belongs to its transaction. Throws `transform_not_ready`, then what a start throws. */
    async materialize(tenant: Tenant, transformId: string, asked: AskedRun, also?: AlsoAtStart) {
      const { parts, ...whole } = await startOne(tenant, { transformId }, asked, async (tx, started) => {
        for (const part of started.parts) await also?.(tx, part);
      });
      return { ...whole, run_id: parts[0]?.run_id ?? whole.run_id };
    },

    /** Starts runs of several transforms as one. Throws `steps_refused`, then what `materialize` throws. */
    async materializeAll(tenant: Tenant, body: GroupBody, asked: Pick<AskedRun, 'requestedBy' | 'queue'>) {
      const { transform_ids: ids, resume_run_id: adoptFrom, force, full } = body;
      const { publish = adoptFrom === undefined ? 'each' : 'together' } = body;
      if (adoptFrom !== undefined) {
        if (publish !== 'together') throw resumeRefused('not_together', '/publish');
        await kernel.db(tenant).transaction((tx) => assertTogether(kernel, tx, adoptFrom));
      }
      const known = await kernel
        .db(tenant)
        .transaction((tx) => tx.find(TransformEntity, { transformId: { $in: [...ids] } }));
      const unknown = ids.flatMap((id, at) =>
        known.some(({ transformId }) => transformId === id.toLowerCase())
          ? []
          : [{ pointer: `/transform_ids/${at}`, code: 'transform_unknown' }],
      );
      if (unknown.length > 0) throw transformProblems.stepsRefused({ errors: unknown });
      const steps = ids.map((id) => ({ stepId: id.toLowerCase(), transformId: id.toLowerCase(), force, full }));
      const whole = { kind: MATERIALIZATION_KIND, subjectId: steps[0]?.transformId ?? '' };
      const listedAt = '/transform_ids';
      const { parts: _, ...started } = await groups.startWhole(tenant, {
        ...whole,
        ...asked,
        publish,
        steps,
        listedAt,
        adoptFrom,
      });
      return started;
    },

    /** The run of a transform for an orchestrator run: the one that is there, or a new one. */
    async execute(
      tenant: Tenant,
      transformId: string,
      { body, ...asked }: AskedRun & { body: ExecuteBody },
    ): Promise<Output<typeof executeTransform>> {
      const { orchestrator_run_id: orchestratorRunId, force, full } = body;
      const known = await kernel.db(tenant).transaction(async (tx) => {
        await foundTransform(tx, transformId);
        return rowFor(tx, transformId, orchestratorRunId);
      });
      // Another call may make it before this one has the lock: then that one is answered.
      if (known === undefined)
        await startOne(tenant, { transformId, orchestratorRunId }, { ...asked, force, full }).catch(async (error) => {
          if ((await kernel.db(tenant).transaction((tx) => rowFor(tx, transformId, orchestratorRunId))) === undefined)
            throw error;
        });
      return kernel.db(tenant).transaction(async (tx) => {
        const row = await rowFor(tx, transformId, orchestratorRunId);
        const [run] = row === undefined ? [] : await kernel.runs.findMany(tx, [row.runId]);
        if (row === undefined || run === undefined) throw kernelProblems.notFound();
        const exact = row.outputSnapshotId ?? null;
        const snapshot_id = exact === null ? null : BigInt(exact);
        return { run: transformRunView(run, row), snapshot_id, snapshot_id_exact: exact };
      });
    },

    /** Asks an open run to end as cancelled. Throws `run_not_active` for one that has ended. */
    async cancel(tenant: Tenant, runId: string) {
      const run = await foundRun(tenant, runId);
      const outcome = await kernel.runs.cancel(tenant, run);
      return { run_id: runId, transform_id: run.subjectId, outcome };
    },
  };
  return service;
}

const rowFor = (tx: TenantTransaction, transformId: string, orchestratorRunId: string) =>
  tx.findOne(TransformRunEntity, { transformId, orchestratorRunId });

/** Lets callers of the workflow engine start a transform. */
export function transformStart(kernel: StartDeps) {
  const { materialize } = startService(kernel);
  return contribute(WorkflowStarts, {
    name: 'transform',
    body: TransformStart,
    async start(tenant: Tenant, principal: Principal, body) {
      const { transform_id, force, full } = body as { transform_id: string; force?: boolean; full?: boolean };
      const requestedBy = principal.kind === 'anonymous' ? 'anonymous' : principal.subject;
      const started = await materialize(tenant, transform_id, { requestedBy, force, full });
      // The run that the workflow engine shows under this workflow; that of the transform is its part.
      const whole = await kernel.runs.find(tenant, started.workflow_id);
      return { ...started, run_id: whole?.runId ?? started.run_id };
    },
  });
}
