import type { Kernel, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, Problem, type Tenant } from '@weir/kernel/contract';
import { type InputsService, MAX_PINNED_INPUTS, type TablesService } from '@weir/plugin-datasets/contract';
import type { ValidationView, VersionStepView, validateDag } from '../contract.ts';
import type { Step } from '../model/entities.ts';
import { judgeSteps, type OtherStep, type OuterCode, type OuterInput } from '../model/validate.ts';
import { fingerprintNow, type KnownStep, knownSteps, toJudge } from './known-steps.ts';
import { type ChangeDeps, changePipeline, foundPipeline, writeChanges } from './rows.ts';

export interface ValidateDeps extends ChangeDeps {
  kernel: Pick<Kernel, 'db'>;
  inputs: Pick<InputsService, 'pin' | 'declared'>;
  tables: Pick<TablesService, 'canPublishTogether'>;
}

type Body = Input<typeof validateDag>['body'];
type Publish = NonNullable<Body['publish']>;

/** Finding what is wrong with steps before anything runs. */
export function validateService(deps: ValidateDeps) {
  const { kernel, facts, tables } = deps;

  const judged = async (
    tenant: Tenant,
    { steps, publish, pipelineId }: { steps: readonly KnownStep[]; publish: Publish; pipelineId?: string },
  ): Promise<ValidationView> => {
    const others = await kernel.db(tenant).transaction((tx) => otherSteps(deps, tx, pipelineId));
    const outer = await outerInputs(deps, tenant, steps);
    const canPublishTogether = await tables.canPublishTogether(tenant);
    const fingerprint = fingerprintNow(steps, publish);
    return { fingerprint, ...judgeSteps(steps.map(toJudge), { publish, canPublishTogether, outer, others }) };
  };

  const validatePipeline = async (tenant: Tenant, pipelineId: string, by: string): Promise<ValidationView> => {
    const { publish, steps } = await kernel.db(tenant).transaction(async (tx) => {
      const row = await foundPipeline(tx, pipelineId);
      const [known = []] = await knownSteps(facts, tx, [row.steps]);
      return { publish: row.publish, steps: known };
    });
    const found = await judged(tenant, { steps, publish, pipelineId });
    if (!found.valid) return found;
    await changePipeline(deps, tenant, { pipelineId, ifMatch: undefined }, async (tx, row, now) => {
      // Steps that changed while they were looked at are not those that were found valid.
      if (fingerprintNow(now, row.publish) !== found.fingerprint) return;
      const validated = { fingerprint: found.fingerprint, at: new Date().toISOString(), by };
      await writeChanges(deps, tx, row, { validated, fingerprint: found.fingerprint }, { isSilent: true });
    });
    return found;
  };

  return {
    /** The faults of a pipeline, or of steps; of a pipeline without any it is noted that they are valid. */
    async validate(tenant: Tenant, by: string, body: Body): Promise<ValidationView> {
      const { pipeline_id, steps, publish = 'together' } = body;
      if ((pipeline_id === undefined) === (steps === undefined)) {
        const code = pipeline_id === undefined ? 'required' : 'pipeline_or_steps';
        const message = pipeline_id === undefined ? 'must be given, or `steps`' : 'cannot be given with `steps`';
        throw kernelProblems.validationFailed({ errors: [{ pointer: '/pipeline_id', code, message }] });
      }
      if (pipeline_id !== undefined) return validatePipeline(tenant, pipeline_id, by);
      const given = (steps ?? []).map(({ step_id, transform_id = '', after = [] }): Step => {
        return { step_id, transform_id: transform_id.toLowerCase(), after: [...after] };
      });
      const unclear = (steps ?? []).flatMap(({ transform_id }, at) =>
        transform_id === undefined
          ? [{ pointer: `/steps/${at}/transform_id`, code: 'required', message: 'must be given: nothing is made here' }]
          : [],
      );
      if (unclear.length > 0) throw kernelProblems.validationFailed({ errors: unclear });
      const [known = []] = await kernel.db(tenant).transaction((tx) => knownSteps(facts, tx, [given]));
      return judged(tenant, { steps: known, publish });
    },
  };
}

const OTHERS = `
select pipeline.name, version.steps from pipelines.pipeline join pipelines.version
  on version.tenant_id = pipeline.tenant_id and version.pipeline_id = pipeline.pipeline_id
  and version.version = pipeline.active_version
where pipeline.tenant_id = $1 and pipeline.archived_at is null and pipeline.pipeline_id is distinct from $2::uuid`;

/** The steps of the active versions of the other pipelines. */
async function otherSteps(
  { facts }: ValidateDeps,
  tx: TenantTransaction,
  own: string | undefined,
): Promise<OtherStep[]> {
  const { rows } = await tx.sql(OTHERS, [tx.tenant.tenantId, own ?? null]);
  const others = rows.map(({ name, steps }) => ({ pipeline: String(name), steps: steps as VersionStepView[] }));
  const artifactIds = others.flatMap(({ steps }) => steps.map(({ artifact_id }) => artifact_id));
  const { artifacts } = await facts.read(tx, { transformIds: [], artifactIds });
  return others.flatMap(({ pipeline, steps }) =>
    steps.map(({ step_id, transform_id, artifact_id, output, after }) => ({
      pipeline,
      stepId: step_id,
      transformId: transform_id,
      after,
      output: output.toLowerCase(),
      inputs: (artifacts.get(artifact_id)?.inputs ?? []).map((id) => id.toLowerCase()),
    })),
  );
}

/** What the steps read and none of them writes, by dataset id in lower case. */
async function outerInputs(
  { inputs }: ValidateDeps,
  tenant: Tenant,
  steps: readonly KnownStep[],
): Promise<ReadonlyMap<string, OuterInput>> {
  const written = new Set(steps.flatMap(({ artifact }) => artifact?.output.toLowerCase() ?? []));
  const read = steps.flatMap(({ artifact }) => artifact?.inputs ?? []);
  const ids = [...new Set(read.filter((id) => !written.has(id.toLowerCase())))];
  const found = new Map<string, OuterInput>();
  for (let at = 0; at < ids.length; at += MAX_PINNED_INPUTS) {
    const batch = ids.slice(at, at + MAX_PINNED_INPUTS);
    for (const [id, input] of await readEach(inputs, tenant, batch)) found.set(id.toLowerCase(), input);
  }
  const missing = ids.filter((id) => codeOf(found.get(id.toLowerCase())) === 'input_missing');
  for (const { datasetId } of await inputs.declared(tenant, missing))
    found.set(datasetId.toLowerCase(), { code: 'input_not_made' });
  return found;
}

const codeOf = (input: OuterInput | undefined) => (input && 'code' in input ? input.code : undefined);

/** All at once; one by one where one of them cannot be read. */
async function readEach(inputs: ValidateDeps['inputs'], tenant: Tenant, ids: readonly string[]) {
  const read = async (some: readonly string[]): Promise<[string, OuterInput][]> =>
    (
      await inputs.pin(
        tenant,
        some.map((datasetId) => ({ datasetId })),
      )
    ).map(({ datasetId, columns }) => [datasetId, { columns }]);
  try {
    return await read(ids);
  } catch (error) {
    refuseOthers(error);
  }
  const found: [string, OuterInput][] = [];
  for (const id of ids) {
    const one = await read([id]).catch((error: unknown): [string, OuterInput][] => [
      [id, { code: refuseOthers(error) }],
    ]);
    found.push(...one);
  }
  return found;
}

const CODES: Readonly<Record<string, OuterCode>> = {
  [kernelProblems.notFound.entry.code]: 'input_missing',
  invalid_dataset_id: 'input_missing',
  dataset_not_readable: 'dataset_not_readable',
  dataset_unreadable: 'dataset_unreadable',
};

/** Why a dataset cannot be read; what is wrong with the platform is thrown. */
function refuseOthers(error: unknown): OuterCode {
  const code = error instanceof Problem ? CODES[error.code] : undefined;
  if (code === undefined) throw error;
  return code;
}
