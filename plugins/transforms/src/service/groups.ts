import type { Kernel, TenantTransaction } from '@weir/kernel';
import { kernelProblems, type RunsDropped, runProblems, type Tenant } from '@weir/kernel/contract';
import { datasetProblems, Inputs, Tables } from '@weir/plugin-datasets/contract';
import { blockingCheck } from '@weir/work';
import type { GroupStart, GroupStep, GroupsService } from '../contract/group/groups.ts';
import { TRANSFORM_SUBJECT, transformProblems } from '../contract.ts';
import { ArtifactEntity, type ArtifactRow, TransformEntity } from '../model/entities.ts';
import { StepGroupEntity } from '../model/group/entities.ts';
import { type Ordered, orderSteps } from '../model/group/order.ts';
import { choiceFaults } from '../model/partition-choice.ts';
import { TRANSFORM_KIND } from '../model/run-kinds.ts';
import { insertParts, type NewPart } from './insert-parts.ts';
import { INPUTS, passedChecks, type StepFacts } from './passed-checks.ts';
import { readableInputs } from './readiness.ts';
import { assertResumable } from './resumable.ts';
import { stepsOf } from './steps.ts';

export type StartDeps = Pick<Kernel, 'db' | 'runs' | 'contributionsFor' | 'use'>;

/** What a group was asked for, in the order of its steps. */
interface Planned extends GroupStep, StepFacts {
  /** Of the transform. */
  name: string;
  artifactId: string;
  /** Why its partitions cannot be chosen so. */
  faults: readonly { pointer: string; code: string }[];
  /** The artifact is that of the version in force. */
  isInForce: boolean;
}

/** Belongs to the start of a whole, in the transaction that makes it and its parts, which come in the order of the steps. */
type AlsoAtGroup = (
  tx: TenantTransaction,
  started: { run_id: string; parts: readonly { run_id: string }[] },
) => Promise<void>;

/** A start as our own routes ask for it. */
export type AskedGroup = GroupStart & {
  /** The orchestrator run of the caller that the parts belong to; their whole unless given. */
  orchestratorRunId?: string;
  /** The list of the steps in what was sent, for faults: a JSON pointer. */
  listedAt?: string;
};

/** Runs of several transforms as one whole. */
export function groupService(kernel: StartDeps) {
  /** The steps with what they carry out. Throws `not_found`, `steps_refused`, and what `notReady` gives. */
  const plan = async (
    tx: TenantTransaction,
    asked: AskedGroup,
    options?: { lock: boolean },
  ): Promise<Ordered<Planned>[]> => {
    const { steps } = asked;
    const ids = steps.map(({ transformId }) => transformId);
    // In one order, so that two groups that share transforms wait for each other and do not lock up.
    if (options?.lock) await tx.sql(LOCK, [tx.tenant.tenantId, ids]);
    const found = await tx.find(TransformEntity, { transformId: { $in: ids } });
    const rows = new Map(found.map((row) => [row.transformId, row]));
    const named = steps.map((step) => {
      const row = rows.get(step.transformId);
      if (row === undefined) throw kernelProblems.notFound();
      const artifactId = step.artifactId ?? row.artifactId;
      const ofRow = { isInForce: artifactId === row.artifactId, isArchived: Boolean(row.archivedAt) };
      return { step: { ...step, name: row.name, ...ofRow }, artifactId };
    });
    const contents = await artifactsOf(
      tx,
      named.flatMap(({ artifactId }) => artifactId ?? []),
    );
    const planned = named.flatMap(({ step, artifactId }): Planned[] => {
      const artifact = artifactId ? contents.get(artifactId) : undefined;
      if (!artifactId || artifact === undefined) return [];
      const { content, runtime } = artifact;
      const faults = step.partitions ? choiceFaults(step.partitions, content) : [];
      return [{ ...step, artifactId, runtime, output: content.output, inputs: content.inputs, faults }];
    });
    const ready = new Set(planned.map(({ stepId }) => stepId));
    const unready = named.filter(({ step }) => !ready.has(step.stepId));
    const blocked = unready.map(({ step }) => ({ step, ...NOT_IN_FORCE }));
    if (blocked.length > 0) throw notReady(asked, blocked);
    const unfit = planned.flatMap(({ stepId, faults }) =>
      faults.map(({ pointer, code }) => ({ pointer: `${pointerOf(asked, stepId)}/partitions${pointer}`, code })),
    );
    if (unfit.length > 0) throw transformProblems.stepsRefused({ errors: unfit });
    const order = orderSteps(planned);
    if ('ordered' in order) return order.ordered;
    const errors = order.circle.map((id) => ({ pointer: pointerOf(asked, id), code: 'circle' }));
    throw transformProblems.stepsRefused({ errors });
  };

  /** The inputs of an artifact that is not in force, judged as those of the one that is. */
  const blockedInputs = async (tenant: Tenant, { inputs }: Planned) => {
    const { status, detail, items = [] } = await readableInputs(kernel.use(Inputs), tenant, inputs);
    return status === 'fail' ? { check: INPUTS, detail, items } : undefined;
  };

  /** Throws what `notReady` gives; a table that another step makes first need not be there. */
  const assertReady = async (tenant: Tenant, asked: AskedGroup, steps: readonly Ordered<Planned>[]): Promise<void> => {
    const made = new Set(steps.map(({ step }) => step.output.toLowerCase()));
    const blocked: Blocked[] = [];
    const facts = steps.map(({ step }) => step);
    for (const [at, passed] of (await passedChecks(kernel, tenant, facts)).entries()) {
      const step = facts[at] as Planned;
      const start = { subject: TRANSFORM_SUBJECT, subjectId: step.transformId };
      const own = step.isInForce ? passed : passed.union(OF_VERSION);
      let found = await blockingCheck(kernel, tenant, { ...start, own });
      if (found === undefined && !step.isInForce && !passed.has(INPUTS)) found = await blockedInputs(tenant, step);
      const isMade = found?.check === INPUTS && found.items.every(({ id }) => made.has(id.toLowerCase()));
      if (isMade) found = await blockingCheck(kernel, tenant, { ...start, own: own.union(JUST_INPUTS) });
      if (found !== undefined) blocked.push({ step, ...found });
    }
    if (blocked.length > 0) throw notReady(asked, blocked);
  };

  /** The row that a service made by `POST /runs` for this orchestrator run, taken over; one transform has one open run. */
  const adoptedRow = async (tx: TenantTransaction, asked: Parameters<typeof kernel.runs.adopt>[1]) => {
    const active = await kernel.runs.active(tx, [TRANSFORM_KIND], asked.subjectId);
    if (active !== undefined) throw runProblems.runAlreadyActive({ members: { run_id: active } });
    return kernel.runs.adopt(tx, asked);
  };

  /** Starts a whole; the parts are in the order of the steps as they were asked for. */
  const startWhole = async (tenant: Tenant, asked: AskedGroup, also?: AlsoAtGroup) => {
    await assertReady(tenant, asked, await kernel.db(tenant).transaction((tx) => plan(tx, asked)));
    const isJoint = asked.publish === 'together' && asked.steps.length > 1;
    if (isJoint && !(await kernel.use(Tables).canPublishTogether(tenant))) throw datasetProblems.catalogMovesOneTable();
    const admitted = {
      whole: await kernel.runs.admit(asked.kind, { queue: asked.queue }),
      part: await kernel.runs.admit(TRANSFORM_KIND),
    };
    return kernel.db(tenant).transaction(async (tx) => {
      // What was ready a moment ago may have been changed since: a run is of artifacts that are there.
      const steps = await plan(tx, asked, { lock: true });
      const { kind, subjectId, requestedBy, publish, triggeredBy, orchestratorRunId, adoptFrom } = asked;
      if (adoptFrom !== undefined) await assertResumable(kernel, tx, adoptFrom);
      const whole = await kernel.runs.start(tx, { kind, subjectId, requestedBy, admitted: admitted.whole });
      const groupRunId = whole.run_id;
      await tx.insert(StepGroupEntity, { runId: groupRunId, publish, adoptFrom, sampleRows: asked.sampleRows ?? 0 });
      const made: NewPart[] = [];
      const ofRun = orchestratorRunId ?? groupRunId;
      for (const { step, after } of steps) {
        const { stepId, transformId, artifactId, output, force = false, full = false, partitions = null } = step;
        const ofPart = { kind: TRANSFORM_KIND, parentRunId: groupRunId, orchestratorRunId: ofRun };
        const own = { ...ofPart, subjectId: transformId };
        const adopted = orchestratorRunId && (await adoptedRow(tx, own));
        const runId = adopted || (await kernel.runs.start(tx, { ...own, requestedBy, admitted: admitted.part })).run_id;
        made.push({
          run_id: runId,
          transform_id: transformId,
          triggering_transform_id: triggeredBy ?? transformId,
          artifact_id: artifactId,
          output,
          forced: force,
          full_asked: full,
          step_id: stepId,
          after,
          partitions,
        });
      }
      await insertParts(tx, { groupRunId, orchestratorRunId: ofRun }, made);
      const runIds = new Map(made.map((part) => [part.step_id, part.run_id]));
      const parts = asked.steps.map(({ stepId }) => ({ run_id: runIds.get(stepId) as string }));
      await also?.(tx, { ...whole, parts });
      return { ...whole, parts };
    });
  };

  const groups: GroupsService = {
    async start(tenant, asked, also) {
      const { parts: _, ...whole } = await startWhole(tenant, asked, also);
      return whole;
    },

    steps: async (tenant, runId) => (await stepsOf(kernel, tenant, runId)).steps,
  };
  return { ...groups, startWhole };
}

const LOCK = `select from transforms.transform
where tenant_id = $1 and transform_id = any ($2::uuid[]) order by transform_id for update`;

const JUST_INPUTS: ReadonlySet<string> = new Set([INPUTS]);
/** What is judged by the version in force, which a step of another artifact does not carry out. */
const OF_VERSION: ReadonlySet<string> = new Set(['hydrated', 'runtime', INPUTS, 'output']);

/** Where a step was named. */
const pointerOf = ({ steps, listedAt = '/steps' }: AskedGroup, stepId: string): string =>
  `${listedAt}/${steps.findIndex((step) => step.stepId === stepId)}`;

/** What keeps a step from running. */
interface Blocked {
  step: Pick<Planned, 'stepId' | 'name'>;
  check: string;
  detail: string;
}
const NOT_IN_FORCE = { check: 'hydrated', detail: 'No version is in force.' };

/** `transform_not_ready` of a transform that was started by itself, otherwise `steps_not_ready` with each step. */
function notReady(asked: AskedGroup, blocked: readonly Blocked[]) {
  const errors = blocked.map(({ step, check, detail }) => ({
    pointer: asked.triggeredBy === undefined ? pointerOf(asked, step.stepId) : '',
    code: check,
    message: detail.replace(/\.$/, ''),
  }));
  const members = { check: blocked[0]?.check };
  if (asked.triggeredBy !== undefined) return transformProblems.transformNotReady({ errors, members });
  const steps = blocked.map(({ step, check }) => `${step.name} (${check})`).join(', ');
  return transformProblems.stepsNotReady({ errors, members, values: { count: blocked.length, steps } });
}

async function artifactsOf(
  tx: TenantTransaction,
  artifactIds: readonly string[],
): Promise<ReadonlyMap<string, ArtifactRow>> {
  if (artifactIds.length === 0) return new Map();
  const found = await tx.find(ArtifactEntity, { artifactId: { $in: [...new Set(artifactIds)] } });
  return new Map(found.map((row) => [row.artifactId, row]));
}

/** Forgets how deleted wholes published. */
export const dropGroups: RunsDropped = async (tx, runIds) => {
  await tx.sql('delete from transforms.step_group where tenant_id = $1 and run_id = any ($2::uuid[])', [
    tx.tenant.tenantId,
    runIds,
  ]);
};
