import { contribute, type Kernel, type RunRecord, type TenantTransaction } from '@weir/kernel';
import {
  type Input,
  kernelProblems,
  type Output,
  type Principal,
  runProblems,
  type Tenant,
} from '@weir/kernel/contract';
import type { AlsoAtStart } from '@weir/plugin-schedules/contract';
import { WorkflowStarts } from '@weir/plugin-workflow-engine/contract';
import { blockingCheck } from '@weir/work';
import { type executeTransform, TRANSFORM_SUBJECT, TransformStart, transformProblems } from '../contract.ts';
import { type TransformRow, TransformRunEntity } from '../model/entities.ts';
import { MATERIALIZATION_KIND, TRANSFORM_KIND } from '../model/run-kinds.ts';
import { transformRunView } from '../model/run-view.ts';
import { foundTransform } from './transform/rows.ts';

/** Who asks for a run, and how. */
export interface AskedRun {
  requestedBy: string;
  queue?: boolean | undefined;
  force?: boolean | undefined;
  full?: boolean | undefined;
}

type StartDeps = Pick<Kernel, 'db' | 'runs' | 'contributions'>;
type ExecuteBody = Input<typeof executeTransform>['body'];

const NONE: ReadonlySet<string> = new Set();

/** Starting and cancelling the runs of transforms. */
export function startService(kernel: StartDeps) {
  const admit = async (tenant: Tenant, transformId: string, queue: boolean | undefined) => {
    const start = { subject: TRANSFORM_SUBJECT, subjectId: transformId, own: NONE };
    const blocked = await blockingCheck(kernel, tenant, start);
    if (blocked !== undefined) {
      const { check, detail } = blocked;
      const errors = [{ pointer: '', code: check, message: detail.replace(/\.$/, '') }];
      throw transformProblems.transformNotReady({ errors, members: { check } });
    }
    return {
      whole: await kernel.runs.admit(MATERIALIZATION_KIND, { queue }),
      part: await kernel.runs.admit(TRANSFORM_KIND),
    };
  };
  type Admitted = Awaited<ReturnType<typeof admit>>;

  /** The row that a service made by `POST /runs` for this orchestrator run, taken over; one transform has one open run. */
  const adoptedRow = async (tx: TenantTransaction, asked: Parameters<typeof kernel.runs.adopt>[1]) => {
    const active = await kernel.runs.active(tx, [TRANSFORM_KIND], asked.subjectId);
    if (active !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: active } });
    return kernel.runs.adopt(tx, asked);
  };

  const startRow = async (
    tx: TenantTransaction,
    { transformId, artifactId, output }: TransformRow,
    { asked, admitted, orchestratorRunId }: { asked: AskedRun; admitted: Admitted; orchestratorRunId?: string },
  ) => {
    const { requestedBy, force = false, full = false } = asked;
    // What was ready a moment ago may have been changed since: a run is of an artifact that is there.
    if (!artifactId) throw transformProblems.transformNotReady({ members: { check: 'hydrated' } });
    const own = { subjectId: transformId, requestedBy };
    const whole = await kernel.runs.start(tx, { kind: MATERIALIZATION_KIND, ...own, admitted: admitted.whole });
    const ofRun = orchestratorRunId ?? whole.run_id;
    const ofPart = { kind: TRANSFORM_KIND, parentRunId: whole.run_id, orchestratorRunId: ofRun };
    const adopted = orchestratorRunId && (await adoptedRow(tx, { ...ofPart, subjectId: transformId }));
    const runId = adopted || (await kernel.runs.start(tx, { ...ofPart, ...own, admitted: admitted.part })).run_id;
    await tx.insert(TransformRunEntity, {
      ...{ runId, transformId, triggeringTransformId: transformId, orchestratorRunId: ofRun },
      ...{ artifactId, output, forced: force, fullAsked: full, status: 'pending', createdAt: new Date() },
    });
    return { ...whole, run_id: runId };
  };

  const foundRun = async (tenant: Tenant, runId: string): Promise<RunRecord> => {
    const run = await kernel.runs.find(tenant, runId, TRANSFORM_KIND);
    if (run === undefined) throw kernelProblems.notFound();
    return run;
  };

  const service = {
    /** Starts a run under an orchestrator run of its own; `also` belongs to its transaction. Throws `transform_not_ready`, then what a start throws. */
    async materialize(tenant: Tenant, transformId: string, asked: AskedRun, also?: AlsoAtStart) {
      await kernel.db(tenant).transaction((tx) => foundTransform(tx, transformId));
      const admitted = await admit(tenant, transformId, asked.queue);
      return kernel.db(tenant).transaction(async (tx) => {
        const row = await foundTransform(tx, transformId, { lock: true });
        const started = await startRow(tx, row, { asked, admitted });
        await also?.(tx, started);
        return started;
      });
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
      const admitted = known === undefined ? await admit(tenant, transformId, asked.queue) : undefined;
      await kernel.db(tenant).transaction(async (tx) => {
        if (admitted === undefined) return;
        const row = await foundTransform(tx, transformId, { lock: true });
        // Another call may have made it before this one had the lock.
        if ((await rowFor(tx, transformId, orchestratorRunId)) !== undefined) return;
        await startRow(tx, row, { asked: { ...asked, force, full }, admitted, orchestratorRunId });
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
    start(tenant: Tenant, principal: Principal, body) {
      const { transform_id, force, full } = body as { transform_id: string; force?: boolean; full?: boolean };
      const requestedBy = principal.kind === 'anonymous' ? 'anonymous' : principal.subject;
      return materialize(tenant, transform_id, { requestedBy, force, full });
    },
  });
}
