import {
  activatePipeline,
  changeStep,
  createPipeline,
  createVersion,
  deletePipeline,
  deletePipelineSchedule,
  getPipelineRun,
  getPipelineSchedule,
  getSandboxStatus,
  getVersion,
  listPipelineSchedules,
  listVersions,
  pausePipeline,
  pausePipelineSchedule,
  putPipeline,
  putPipelineSchedule,
  readDifference,
  readPipelineReadiness,
  resumePipelineSchedule,
  runPipeline,
  sandboxPipeline,
  triggerPipelineSchedule,
  validateDag,
} from '@weir/plugin-pipelines/contract';
import { createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import { startWorkflow } from '@weir/plugin-workflow-engine/contract';
import { type Examples, example, inTurn, type Tenancy, VICTIMS } from '../../../test/examples.ts';

/** A schedule that starts no run while a test runs. */
const RARELY = { cron: ['0 0 29 2 *'] };
const STEP = 'one';

/** A pipeline of one step, whose transform is hydrated. */
async function make({ api, tenant }: Tenancy, name: string): Promise<{ pipeline_id: string; transform_id: string }> {
  const body = { name: `of_${name}`, sql: 'select 1 as one', output: `gold.${tenant}.of_${name}` };
  const { transform_id } = await api(createTransform, { body });
  await api(hydrateTransform, { params: { transform_id } });
  const steps = [{ step_id: STEP, transform_id }];
  const { pipeline_id } = await api(createPipeline, { body: { name, steps } });
  return { pipeline_id, transform_id };
}

async function scheduled(tenancy: Tenancy, name: string): Promise<{ pipeline_id: string }> {
  const { pipeline_id } = await make(tenancy, name);
  await tenancy.api(putPipelineSchedule, { params: { pipeline_id }, body: RARELY });
  return { pipeline_id };
}

const inactive = { unreached: { why: 'a version is active only after a rehearsal, which needs a worker' } };

export const examples: Examples = {
  own: [
    { of: runPipeline, why: 'runs the active version: its tables change together' },
    { of: getPipelineRun, why: 'shows the steps of a run' },
    { of: listVersions, why: 'shows what can be activated, and gone back to' },
    { of: getVersion, why: 'shows the artifacts that a version carries out' },
    { of: readDifference, why: 'shows what an activation would change' },
    { of: readPipelineReadiness, why: 'the checklist of a pipeline, as its start asks it' },
    ...[
      getPipelineSchedule,
      putPipelineSchedule,
      deletePipelineSchedule,
      pausePipelineSchedule,
      resumePipelineSchedule,
    ].map((of) => ({
      of,
      why: 'a pipeline runs by itself',
    })),
    { of: listPipelineSchedules, why: 'shows which pipelines run by themselves, and when' },
    { of: triggerPipelineSchedule, why: 'runs a schedule once, now' },
  ],
  async furnish(tenancy) {
    const { pipeline_id } = await scheduled(tenancy, 'shown');
    const params = { pipeline_id };
    await tenancy.api(validateDag, { body: { pipeline_id } });
    await tenancy.api(createVersion, { params });
    const rehearsal = await tenancy.api(sandboxPipeline, { params, query: { queue: true } });
    return {
      pipeline_id,
      step_id: STEP,
      pipeline_run_id: rehearsal.run_id,
      pipeline_workflow_id: rehearsal.workflow_id,
    };
  },
  meant: [
    { of: [getPipelineRun], name: 'run_id', as: 'pipeline_run_id' },
    { of: [getSandboxStatus], name: 'workflow_id', as: 'pipeline_workflow_id' },
  ],
  absent: { step_id: () => 'absent' },
  calls: [
    example(createPipeline, { body: { name: 'made', steps: [] } }),
    example(putPipeline, { body: { name: 'shown', steps: [] } }),
    example(changeStep, { body: { after: [] } }),
    example(validateDag, { body: { steps: [] } }),
    example(putPipelineSchedule, { body: RARELY }),
    ...[activatePipeline, pausePipeline, runPipeline, triggerPipelineSchedule].map((of) => ({ of, ...inactive })),
    { of: startWorkflow.pipeline, unreached: { why: 'its body names a pipeline' } },
  ],
  seed: async (tenancy) => {
    const rehearsed = await make(tenancy, 'rehearsed');
    await tenancy.api(validateDag, { body: { pipeline_id: rehearsed.pipeline_id } });
    return {
      calls: [
        example(createPipeline, { body: { name: 'fuzzed', steps: [] } }),
        example(pausePipelineSchedule, { body: { reason: 'fuzzing' } }),
        { of: sandboxPipeline, params: { pipeline_id: rehearsed.pipeline_id } },
        { of: deletePipelineSchedule, params: await scheduled(tenancy, 'unscheduled') },
        {
          of: deletePipeline,
          params: {
            pipeline_id: (await inTurn(VICTIMS, (at) => make(tenancy, `victim_${at}`))).map((one) => one.pipeline_id),
          },
        },
      ],
    };
  },
};
