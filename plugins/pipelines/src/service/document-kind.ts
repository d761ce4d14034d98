import { canonicalJson } from '@weir/kernel';
import {
  type ApplyKind,
  type Asked,
  type ItemFault,
  type Json,
  type PlannedCall,
  type Ref,
  refTo,
} from '@weir/plugin-apply/contract';
import { type SubjectSchedulesService, scheduleSpec, wantedSchedule } from '@weir/plugin-schedules/contract';
import { hydrateTransform, listTransforms, type TransformView } from '@weir/plugin-transforms/contract';
import {
  activatePipeline,
  createPipeline,
  listPipelineSchedules,
  listPipelines,
  type PipelineView,
  pausePipeline,
  pipelineProblems,
  pipelineSchedules,
  putPipeline,
  type ValidationView,
  validateDag,
} from '../contract.ts';
import { activeOf, compared, PipelineSpec, type PipelineSpecBody, specOf } from '../model/document.ts';
import { assertShape } from './given-steps.ts';

interface Deps {
  schedules: Pick<SubjectSchedulesService, 'times'>;
}

type ScheduleOf = Parameters<typeof scheduleSpec>[0] & { pipeline_id: string };

/** Documents of pipelines. What is changed is validated; steps that were rehearsed can be made active. */
export const pipelineDocuments = ({ schedules }: Deps): ApplyKind => ({
  kind: 'Pipeline',
  order: 30,
  spec: PipelineSpec,
  list: listPipelines,
  async stored(item, { reader }) {
    const view = item as unknown as PipelineView;
    const { name, pipeline_id: id, etag } = view;
    const all = view.schedule === null ? [] : await reader.all<ScheduleOf>(listPipelineSchedules);
    const schedule = all.find(({ pipeline_id }) => pipeline_id === id);
    const spec = specOf(view);
    return { name, id, etag, spec: schedule ? { ...spec, schedule: scheduleSpec(schedule) } : spec, view };
  },
  async plan(asked) {
    const { stored, self, allowDeprecate } = asked;
    const { schedule: given, ...spec } = asked.spec as PipelineSpecBody;
    assertShape(spec.steps.map(({ step_id, after = [] }) => ({ step_id, transform_id: step_id, after })));
    const params = { pipeline_id: self };
    const standing = stored?.spec.schedule as Json | undefined;
    const timed = wantedSchedule(pipelineSchedules, schedules, { given, standing, params, allowDeprecate });
    const { ids, faults } = await transformsOf(asked, spec);
    const view = stored?.view as PipelineView | undefined;
    const was = view && compared(stored?.spec as PipelineSpecBody);
    const wanted = compared(spec);
    const isChanged = was === undefined || canonicalJson(was) !== canonicalJson(wanted);
    const active = view && activeOf(view);
    const isRefused = spec.active === true && !mayBeActive(asked, spec, { view, isChanged });
    return {
      faults: [...faults, ...(isRefused ? [NOT_REHEARSED] : []), ...timed.faults],
      before: was && { ...was, active, schedule: timed.before },
      after: { ...wanted, active: spec.active ?? active, schedule: timed.after },
      calls() {
        const isTurned = stored !== undefined && spec.active !== undefined && spec.active !== active;
        return [
          ...(isChanged ? changeCalls(asked, spec, ids) : []),
          ...(isTurned ? [turnCall(asked, spec, isChanged)] : []),
          ...timed.calls,
        ];
      },
    };
  },
});

const NOT_REHEARSED: ItemFault = {
  code: pipelineProblems.pipelineNotSandboxed.entry.code,
  pointer: '/spec/active',
  detail:
    'These very steps have not been rehearsed. Leave `active` out, apply the steps, rehearse the pipeline, then give `active` again.',
  conflict: true,
};

/** The transforms of the steps by their names: those that are there, and those that earlier documents make. */
async function transformsOf({ reader, planned }: Asked, { steps }: PipelineSpecBody) {
  const all = await reader.all<TransformView>(listTransforms);
  const known = new Map(all.map(({ name, transform_id }) => [name, transform_id]));
  const ids = new Map<string, string | Ref>();
  const faults = steps.flatMap(({ transform }, at): ItemFault[] => {
    const isMade = planned('Transform', transform)?.action === 'create';
    const id = known.get(transform) ?? (isMade ? refTo('Transform', transform) : undefined);
    if (id !== undefined) ids.set(transform, id);
    const detail = 'The tenant has no such transform, and no document before this one makes it.';
    return id === undefined ? [{ code: 'reference_unknown', pointer: `/spec/steps/${at}/transform`, detail }] : [];
  });
  return { ids, faults };
}

/** Whether the steps are active or were rehearsed, and no earlier document puts another version of a transform in force. */
function mayBeActive(
  { planned }: Asked,
  { steps }: PipelineSpecBody,
  { view, isChanged }: { view: PipelineView | undefined; isChanged: boolean },
): boolean {
  if (view === undefined || isChanged) return false;
  const isMoved = steps.some(({ transform }) =>
    planned('Transform', transform)?.calls.some(({ endpoint }) => endpoint.id === hydrateTransform.id),
  );
  return !isMoved && (view.draft_state === 'sandboxed' || view.draft_state === 'same_as_active');
}

function changeCalls(
  { name, stored, self }: Asked,
  { steps, publish = 'together', description = null }: PipelineSpecBody,
  ids: ReadonlyMap<string, string | Ref>,
): PlannedCall[] {
  const made = steps.map(({ step_id, transform, after = [] }) => ({
    step_id,
    transform_id: ids.get(transform),
    after,
  }));
  const body = { name, description, steps: made, publish };
  const first: PlannedCall =
    stored === undefined
      ? { endpoint: createPipeline, body, id: 'pipeline_id' }
      : { endpoint: putPipeline, params: { pipeline_id: self }, body, ifMatch: stored.etag };
  const validate: PlannedCall = { endpoint: validateDag, body: { pipeline_id: self }, optional: true, doubt: invalid };
  return steps.length === 0 ? [first] : [first, validate];
}

/** What validating found, as a warning. */
function invalid(answer: Json) {
  const { valid, faults } = answer as unknown as ValidationView;
  const [fault] = faults;
  if (valid || fault === undefined) return undefined;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const step = fault.step_id === null ? '' : `step ${fault.step_id}: `;
  return { code: fault.code, detail: `The pipeline is not valid: ${step}${fault.detail}${more}` };
}

function turnCall({ stored, self }: Asked, { active }: PipelineSpecBody, isChanged: boolean): PlannedCall {
  const endpoint = active === true ? activatePipeline : pausePipeline;
  const call: PlannedCall = { endpoint, params: { pipeline_id: self }, body: {} };
  return isChanged || stored === undefined ? call : { ...call, ifMatch: stored.etag };
}
