import type { Kernel, PageOrders, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import type { AlsoAtStart } from '@weir/plugin-schedules/contract';
import { type GroupStepView, type GroupsService, transformProblems } from '@weir/plugin-transforms/contract';
import { blockingCheck } from '@weir/work';
import {
  type getPipelineRun,
  type getSandboxStatus,
  type listPipelineRuns,
  MAX_SAMPLE_ROWS,
  PIPELINE,
  PIPELINE_RUN,
  PIPELINE_SANDBOX,
  pipelineProblems,
  type RunCause,
  type runPipeline,
  type sandboxPipeline,
} from '../contract.ts';
import { type PipelineRow, PipelineRunEntity, type PipelineRunRow } from '../model/entities.ts';
import { assertRunnable, assertValidated } from '../model/states.ts';
import { knownSteps } from './known-steps.ts';
import { foundPipeline, foundVersion } from './rows.ts';
import { runViews, type ViewDeps } from './views.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };

export interface PipelineRunDeps extends Omit<ViewDeps, 'kernel'> {
  kernel: Pick<Kernel, 'db' | 'runs' | 'contributionsFor'>;
  groups: GroupsService;
}

/** Who asks for a run, and why. */
export interface AskedRun {
  requestedBy: string;
  queue?: boolean | undefined;
  cause: RunCause;
}

type RunBody = NonNullable<Input<typeof runPipeline>['body']>;
type SandboxBody = NonNullable<Input<typeof sandboxPipeline>['body']>;
type Started = Pick<PipelineRunRow, 'pipelineId' | 'version' | 'fingerprint' | 'publish' | 'cause' | 'fromRunId'>;

/** Tells whether the caller may see rows of this run of a transform. */
export type MaySee = (runId: string) => Promise<boolean>;

/** Rehearsing and running pipelines, and reading their runs. */
export function pipelineRunService(deps: PipelineRunDeps) {
  const { kernel, groups, facts } = deps;
  const { db } = kernel;

  /** Keeps what a run does for a pipeline, in the transaction that starts it; `holds` throws where it may not start any more. */
  const keptAtStart =
    (started: Started, holds: (row: PipelineRow) => void, also?: AlsoAtStart): AlsoAtStart =>
    async (tx, { run_id }) => {
      // Every transaction of a caller is one of the kernel's.
      const own = tx as TenantTransaction;
      holds(await foundPipeline(own, started.pipelineId, { lock: true }));
      await own.insert(PipelineRunEntity, { runId: run_id, ...started, createdAt: new Date() });
      await also?.(tx, { run_id });
    };

  const views = { kernel, facts };

  /** The version that a run carries out, and the run whose written steps it takes over. */
  const planned = (tenant: Tenant, pipelineId: string, { version: asked, resume_run_id, promote_run_id }: RunBody) =>
    db(tenant).transaction(async (tx) => {
      const row = await foundPipeline(tx, pipelineId);
      assertRunnable(row);
      if (resume_run_id !== undefined && promote_run_id !== undefined)
        throw kernelProblems.validationFailed({
          errors: [
            { pointer: '/promote_run_id', code: 'one_of_both', message: 'cannot be given with `resume_run_id`' },
          ],
        });
      const fromRunId = resume_run_id ?? promote_run_id;
      const pointer = resume_run_id === undefined ? '/promote_run_id' : '/resume_run_id';
      const from = fromRunId === undefined ? undefined : await runOf(tx, pipelineId, { runId: fromRunId, pointer });
      const resumed = resume_run_id === undefined ? undefined : (from?.version ?? undefined);
      const version = await foundVersion(tx, pipelineId, asked ?? resumed ?? (row.activeVersion as number));
      if (from !== undefined && from.fingerprint !== version.fingerprint) throw refusal(pointer, 'version_differs');
      return { row, version, from };
    });

  const startRun = async (
    tenant: Tenant,
    pipelineId: string,
    { body, requestedBy, queue, cause }: AskedRun & { body: RunBody },
    also?: AlsoAtStart,
  ): Promise<Output<typeof runPipeline>> => {
    const { version, from } = await planned(tenant, pipelineId, body);
    const blocked = await blockingCheck(kernel, tenant, { subject: PIPELINE, subjectId: pipelineId, own: NONE });
    if (blocked !== undefined) {
      const { check, items } = blocked;
      throw pipelineProblems.pipelineNotReady({ values: { check }, members: { check, items } });
    }
    const { force, full, promote_run_id, resume_run_id } = body;
    const why = promote_run_id ? 'promotion' : resume_run_id ? 'resume' : cause;
    const { fingerprint, publish } = version;
    const started = { pipelineId, version: version.version, fingerprint, publish, cause: why };
    const asked = { kind: PIPELINE_RUN, subjectId: pipelineId, requestedBy, queue, publish };
    const steps = version.steps.map((step) => ({ ...stepOf(step), force, full }));
    return groups.start(
      tenant,
      // Where each table is published as its step ends, what was published is skipped as unchanged.
      { ...asked, steps, adoptFrom: publish === 'each' ? undefined : from?.runId },
      keptAtStart({ ...started, fromRunId: from?.runId ?? null }, assertRunnable, also),
    );
  };

  const startSandbox = async (
    tenant: Tenant,
    pipelineId: string,
    { body, requestedBy, queue }: Omit<AskedRun, 'cause'> & { body: SandboxBody },
  ): Promise<Output<typeof sandboxPipeline>> => {
    const { row, steps } = await db(tenant).transaction(async (tx) => {
      const found = await foundPipeline(tx, pipelineId);
      assertValidated(found);
      const [known = []] = await knownSteps(facts, tx, [found.steps]);
      return { row: found, steps: known };
    });
    const { force, full, sample_rows: sampleRows = MAX_SAMPLE_ROWS } = body;
    const { fingerprint } = row;
    const carried = steps.map(({ artifact, ...step }) => {
      return { ...stepOf({ ...step, artifact_id: artifact?.artifactId }), force, full };
    });
    const holds = (now: PipelineRow) => {
      if (now.fingerprint !== fingerprint) throw pipelineProblems.pipelineNotValidated();
    };
    return groups.start(
      tenant,
      {
        kind: PIPELINE_SANDBOX,
        subjectId: pipelineId,
        requestedBy,
        queue,
        publish: 'none',
        steps: carried,
        sampleRows,
      },
      keptAtStart({ pipelineId, version: null, fingerprint, publish: 'none', cause: 'manual', fromRunId: null }, holds),
    );
  };

  /** A run of a pipeline by the id of run or workflow, with its steps. */
  const detail = async (tenant: Tenant, pipelineId: string, id: string) => {
    const run = await kernel.runs.find(tenant, id);
    const view = await db(tenant).transaction(async (tx) => {
      await foundPipeline(tx, pipelineId);
      const row = run && (await tx.findOne(PipelineRunEntity, { runId: run.runId, pipelineId }));
      return row && (await runViews(views, tx, [row]))[0];
    });
    if (view === undefined) throw kernelProblems.notFound();
    return { view, steps: await groups.steps(tenant, view.run_id) };
  };

  return {
    run: startRun,
    sandbox: startSandbox,

    list: (
      tenant: Tenant,
      pipelineId: string,
      query: Input<typeof listPipelineRuns>['query'],
    ): Promise<Output<typeof listPipelineRuns>> =>
      db(tenant).transaction(async (tx) => {
        await foundPipeline(tx, pipelineId);
        const { status, sandbox, ...request } = query ?? {};
        const versions = sandbox ? null : { $ne: null };
        const where = [status === undefined ? {} : { status }, sandbox === undefined ? {} : { version: versions }];
        const page = await tx.page(PipelineRunEntity, { pipelineId, $and: where }, request, ORDERS);
        return { ...page, items: await runViews(views, tx, page.items), total: null };
      }),

    async get(tenant: Tenant, pipelineId: string, runId: string): Promise<Output<typeof getPipelineRun>> {
      const { view, steps } = await detail(tenant, pipelineId, runId);
      // Rows need the right to query.
      return {
        ...view,
        steps: steps.map(({ sample: _, ...step }) => ({ ...step, columns: copied(step.columns) ?? null })),
      };
    },

    async sandboxStatus(
      tenant: Tenant,
      { pipelineId, workflowId, maySee }: { pipelineId: string; workflowId: string; maySee: MaySee },
    ): Promise<Output<typeof getSandboxStatus>> {
      const { view, steps } = await detail(tenant, pipelineId, workflowId);
      if (view.publish !== 'none') throw kernelProblems.notFound();
      const sampled = steps.find(({ sample }) => sample !== null);
      const isShown = sampled !== undefined && (await maySee(sampled.run_id));
      return {
        ...view,
        steps: steps.map(({ sample, ...step }) => {
          return { ...step, columns: copied(step.columns) ?? null, sample: isShown ? copiedRows(sample) : null };
        }),
      };
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

const copied = (columns: GroupStepView['columns']) => columns?.map((column) => ({ ...column }));
const copiedRows = (sample: GroupStepView['sample']) =>
  sample && { columns: copied(sample.columns) ?? [], rows: sample.rows.map((row) => [...row]) };

const stepOf = (step: {
  step_id: string;
  transform_id: string;
  artifact_id?: string | undefined;
  after: readonly string[];
}) => ({
  stepId: step.step_id,
  transformId: step.transform_id,
  artifactId: step.artifact_id,
  after: step.after,
});

const refusal = (pointer: string, code: string) => transformProblems.resumeRefused({ errors: [{ pointer, code }] });

/** The run of a pipeline that is to be resumed or promoted; throws `resume_refused`. */
async function runOf(
  tx: TenantTransaction,
  pipelineId: string,
  { runId, pointer }: { runId: string; pointer: string },
) {
  const run = await tx.findOne(PipelineRunEntity, { runId, pipelineId });
  if (run === undefined) throw refusal(pointer, 'run_unknown');
  const isSandbox = (run.version ?? null) === null;
  if (isSandbox !== (pointer === '/promote_run_id'))
    throw refusal(pointer, isSandbox ? 'run_rehearsed' : 'run_published');
  if (isSandbox && run.status !== 'succeeded') throw refusal(pointer, 'run_failed');
  return run;
}
