import type { Kernel, RunRecord, Tenant } from '@weir/kernel';
import { type CheckOutcome, counted, type ReadinessCheck } from '@weir/kernel/contract';
import type { TablesService } from '@weir/plugin-datasets/contract';
import type { SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import type { FactsService } from '@weir/plugin-transforms/contract';
import { PIPELINE, PIPELINE_RUN } from '../contract.ts';
import { type PipelineRow, PipelineRunEntity, type VersionRow } from '../model/entities.ts';
import { draftStateOf, isRehearsed } from '../model/states.ts';
import { foundPipeline, foundVersion } from './rows.ts';

export interface ReadinessDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  facts: FactsService;
  tables: Pick<TablesService, 'canPublishTogether'>;
  schedules: Pick<SubjectSchedulesService, 'summaries'>;
}

/** What the checks of one pipeline look at. */
interface Facts {
  row: PipelineRow;
  /** The active one. */
  version: VersionRow | undefined;
}

type Judge = (tenant: Tenant, facts: Facts) => CheckOutcome | Promise<CheckOutcome>;

const step = (operation: string, text: string) => ({ operation, params: { pipeline_id: '{subject_id}' }, text });
const pass = (detail: string): CheckOutcome => ({ status: 'pass', detail });

/** The checklist of a run of a pipeline, as the specification lists it. */
export function readinessChecks(deps: ReadinessDeps): ReadinessCheck[] {
  const check = (name: string, title: string, blocks: boolean, judge: Judge): ReadinessCheck => ({
    subject: PIPELINE,
    check: name,
    title,
    blocks,
    run: async (tenant, id) => judge(tenant, await factsOf(deps, tenant, id)),
  });
  return [
    check('validated', 'The steps are validated', false, (_, facts) => validated(facts)),
    check('sandboxed', 'The steps were rehearsed', false, (_, facts) => sandboxed(facts)),
    check('activated', 'A version is active', true, (_, facts) => activated(facts)),
    check('steps', 'Every step can be carried out', true, (tenant, facts) => stepsOutcome(deps, tenant, facts)),
    check('publish', 'The tables can change together', true, (tenant, facts) => publishOutcome(deps, tenant, facts)),
    check('worker', 'A worker polls for runs', false, () => workerOutcome(deps)),
    check('last_run', 'No run is open, and the last one did not fail', false, (tenant, facts) =>
      lastRun(deps, tenant, facts),
    ),
    check('schedule', 'It runs by itself', false, (tenant, facts) => scheduleOutcome(deps, tenant, facts)),
  ];
}

function factsOf({ kernel }: ReadinessDeps, tenant: Tenant, pipelineId: string): Promise<Facts> {
  return kernel.db(tenant).transaction(async (tx) => {
    const row = await foundPipeline(tx, pipelineId);
    const { activeVersion } = row;
    return { row, version: activeVersion ? await foundVersion(tx, pipelineId, activeVersion) : undefined };
  });
}

function validated({ row }: Facts): CheckOutcome {
  if (draftStateOf(row) !== 'draft') return pass('The steps as they are now are valid.');
  const next = [step('pipelines.validate_dag', 'Validate the pipeline')];
  return {
    status: 'warning',
    detail: 'The steps have changed since they were validated.',
    hint: 'Validate them.',
    next,
  };
}

function sandboxed({ row }: Facts): CheckOutcome {
  if (isRehearsed(row)) return pass('The steps as they are now were rehearsed.');
  const next = [step('pipelines.sandbox_pipeline', 'Rehearse the pipeline')];
  return {
    status: 'warning',
    detail: 'The steps have not been rehearsed as they are now.',
    hint: 'Rehearse them.',
    next,
  };
}

function activated({ row }: Facts): CheckOutcome {
  const next = [step('pipelines.activate_pipeline', 'Activate the pipeline')];
  if (!row.activeVersion) return { status: 'fail', detail: 'No version is active.', hint: 'Activate one.', next };
  if (!row.paused) return pass(`Version ${row.activeVersion} is active.`);
  return { status: 'fail', detail: 'The pipeline is paused.', hint: 'Activate it again.', next };
}

const NOT_ACTIVE: CheckOutcome = {
  status: 'warning',
  detail: 'This is known once a version is active.',
  hint: 'Activate one.',
  next: [step('pipelines.activate_pipeline', 'Activate the pipeline')],
};

async function stepsOutcome(
  { kernel, facts }: ReadinessDeps,
  tenant: Tenant,
  { version }: Facts,
): Promise<CheckOutcome> {
  if (version === undefined) return NOT_ACTIVE;
  const { steps } = version;
  const known = await kernel.db(tenant).transaction((tx) =>
    facts.read(tx, {
      transformIds: steps.map(({ transform_id }) => transform_id),
      artifactIds: steps.map(({ artifact_id }) => artifact_id),
    }),
  );
  const items = steps.flatMap(({ step_id, transform_id, transform_name: name, artifact_id }) => {
    const transform = known.transforms.get(transform_id);
    const code =
      transform === undefined
        ? 'transform_unknown'
        : transform.isArchived
          ? 'transform_archived'
          : known.artifacts.has(artifact_id)
            ? undefined
            : 'not_hydrated';
    return code === undefined ? [] : [{ id: step_id, name, code }];
  });
  if (items.length === 0) return pass(`${counted(steps.length, 'step')} can be carried out.`);
  const hint = 'Restore the transforms that are archived, or activate a version without these steps.';
  return { status: 'fail', detail: `${counted(items.length, 'step')} cannot be carried out.`, hint, items };
}

async function publishOutcome({ tables }: ReadinessDeps, tenant: Tenant, { version }: Facts): Promise<CheckOutcome> {
  if (version === undefined) return NOT_ACTIVE;
  const { publish, steps } = version;
  if (publish === 'each') return pass('Each table changes as its step ends.');
  if (steps.length < 2 || (await tables.canPublishTogether(tenant))) return pass('The tables change in one commit.');
  const hint = 'Publish each table by itself, or use a catalog that commits several tables at once.';
  return { status: 'fail', detail: 'The catalog moves one table at a time.', hint };
}

async function workerOutcome({ kernel }: ReadinessDeps): Promise<CheckOutcome> {
  const { warning } = await kernel.runs.admit(PIPELINE_RUN, { queue: true });
  if (warning === null) return pass('A worker of the role transform polls its queue.');
  const next = [{ operation: 'workflow_engine.list_workers', text: 'Show the workers' }];
  return { status: 'fail', detail: warning.detail, hint: 'Start a worker, or let the run wait for one.', next };
}

async function lastRun({ kernel }: ReadinessDeps, tenant: Tenant, { row }: Facts): Promise<CheckOutcome> {
  const last = await kernel.db(tenant).transaction(async (tx): Promise<RunRecord | undefined> => {
    const newest = { orderBy: { createdAt: 'desc' as const }, limit: 1 };
    const where = { pipelineId: row.pipelineId, version: { $ne: null } };
    const found = await tx.find(PipelineRunEntity, where, newest);
    return (
      await kernel.runs.findMany(
        tx,
        found.map(({ runId }) => runId),
      )
    )[0];
  });
  if (last === undefined) return pass('The pipeline has not run yet.');
  const { status, failure, runId: run_id } = last;
  if (status === 'pending' || status === 'running') {
    const next = [{ operation: 'runs.cancel_run', params: { id: run_id }, text: 'Cancel the run' }];
    return { status: 'fail', detail: `A run of the pipeline is ${status}.`, hint: 'Wait for it, or cancel it.', next };
  }
  if (status !== 'failed') return pass(`The last run ended ${status}.`);
  const next = [{ operation: 'runs.read_log', params: { id: run_id }, text: 'Read the log of the last run' }];
  const detail = `The last run failed: ${failure?.detail ?? 'without a reason'}`;
  return { status: 'warning', detail, hint: 'Resume it once its cause is gone.', next };
}

async function scheduleOutcome(
  { kernel, schedules }: ReadinessDeps,
  tenant: Tenant,
  { row }: Facts,
): Promise<CheckOutcome> {
  const { pipelineId } = row;
  const found = await kernel.db(tenant).transaction((tx) => schedules.summaries(tx, [pipelineId]));
  const schedule = found.get(pipelineId);
  if (schedule !== undefined && !schedule.paused) return pass('It has a schedule.');
  const next = [step('pipelines.put_schedule', 'Give it a schedule')];
  if (schedule === undefined) return { status: 'pass', detail: 'It has no schedule: it runs when somebody starts it.' };
  return { status: 'warning', detail: 'Its schedule is paused.', hint: 'Resume the schedule.', next };
}
