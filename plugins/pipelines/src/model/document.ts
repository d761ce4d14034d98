import { type Static, Type } from '@sinclair/typebox';
import { Closed, Name } from '@weir/kernel/contract';
import type { Json } from '@weir/plugin-apply/contract';
import { ScheduleDocument } from '@weir/plugin-schedules/contract';
import { GivenStep, MAX_PIPELINE_STEPS } from '../contract/pipelines.ts';
import { createPipeline, type PipelineView } from '../contract.ts';

const { description, publish } = (createPipeline.body as NonNullable<typeof createPipeline.body>).properties;
const { step_id, after } = GivenStep.properties;
const DocumentStep = Closed({ step_id, transform: { ...Name, description: 'Name of the transform' }, after });

/** The spec of a document: a pipeline by the names of its transforms, its schedule, and whether it is active. */
export const PipelineSpec = Closed({
  steps: Type.Array(DocumentStep, { maxItems: MAX_PIPELINE_STEPS }),
  publish,
  description,
  schedule: Type.Optional(ScheduleDocument),
  active: Type.Optional(
    Type.Boolean({
      description: 'Whether runs carry out these steps, which must have been rehearsed; stays as it is when left out',
    }),
  ),
});
export type PipelineSpecBody = Static<typeof PipelineSpec>;

/** Whether these very steps are active; undefined when others are. */
export function activeOf({ status, draft_state }: Pick<PipelineView, 'status' | 'draft_state'>): boolean | undefined {
  if (status !== 'activated') return false;
  return draft_state === 'same_as_active' ? true : undefined;
}

/** What a pipeline is by a document; what is as by default is left out. Pure. */
export function specOf(view: PipelineView): Json {
  const steps = view.steps.map(({ step_id: id, transform_id, transform_name, after: waits }) => ({
    step_id: id,
    transform: transform_name ?? transform_id,
    ...(waits.length > 0 && { after: waits }),
  }));
  const active = activeOf(view);
  return {
    steps,
    ...(view.publish !== 'together' && { publish: view.publish }),
    ...(view.description !== null && { description: view.description }),
    ...(active !== undefined && { active }),
  };
}

/** Steps, publish and description in the form that is compared: steps by their ids. Pure. */
export function compared({ steps, publish = 'together', description: said = null }: PipelineSpecBody): Json {
  const byId = steps.map((step) => [step.step_id, { transform: step.transform, after: step.after ?? [] }] as const);
  return { steps: Object.fromEntries(byId), publish, description: said };
}
