import type { Kernel } from '@weir/kernel';
import { Problem, type Tenant } from '@weir/kernel/contract';
import type { ApplyKind, Asked, ItemFault, Json, PlannedCall } from '@weir/plugin-apply/contract';
import { type SubjectSchedulesService, scheduleSpec, wantedSchedule } from '@weir/plugin-schedules/contract';
import {
  changeTransform,
  createTransform,
  hydrateTransform,
  listTransformSchedules,
  listTransforms,
  type NewTransform,
  type TransformScheduleView,
  type TransformView,
  transformProblems,
  transformSchedules,
} from '../../contract.ts';
import { checkFaults } from '../../model/checks/check-rules.ts';
import {
  compared,
  DEFINITION,
  foreignPlaces,
  neededDatasets,
  scopedSpec,
  specOf,
  TransformSpec,
  type TransformSpecBody,
} from '../../model/document.ts';
import { assertMaterializing } from '../../model/materialization.ts';
import { outputId } from '../../model/output.ts';
import { fromPattern } from './from-pattern.ts';

interface Deps {
  kernel: Pick<Kernel, 'contributions'>;
  schedules: Pick<SubjectSchedulesService, 'times'>;
}

/** Documents of transforms. Compared is the draft where there is one; what is created or changed is hydrated. */
export const transformDocuments = ({ kernel, schedules }: Deps): ApplyKind => ({
  kind: 'Transform',
  order: 20,
  spec: TransformSpec,
  list: listTransforms,
  alsoListed: [{ archived: 'true' }],
  scoped: scopedSpec,
  async stored(item, { reader }) {
    const view = item as unknown as TransformView;
    const all = await reader.all<TransformScheduleView>(listTransformSchedules);
    const schedule = all.find(({ transform_id }) => transform_id === view.transform_id);
    const spec = { ...specOf(view), ...(schedule && { schedule: scheduleSpec(schedule) }) };
    const named = { name: view.name, id: view.transform_id, etag: view.etag, spec };
    return view.archived ? { ...named, blocked: ARCHIVED } : named;
  },
  async plan(asked) {
    const { stored, self, name, allowDeprecate } = asked;
    const { schedule: given, ...spec } = asked.spec as TransformSpecBody;
    const params = { transform_id: self };
    const standing = stored?.spec.schedule as Json | undefined;
    const timed = wantedSchedule(transformSchedules, schedules, { given, standing, params, allowDeprecate });
    const made = await definitionOf(kernel, asked, spec);
    const faults = [...(await faultsOf(asked, spec, made)), ...timed.faults];
    const before = stored && { ...compared(stored.spec), ...(timed.before && { schedule: timed.before }) };
    const after = { ...compared(spec), ...(timed.after && { schedule: timed.after }) };
    const hydrate: PlannedCall = { endpoint: hydrateTransform, params, optional: true };
    return {
      faults,
      before,
      after,
      makes: [made.output.toLowerCase()],
      needs: neededDatasets(made, asked.tenant.scope),
      calls(changes) {
        const members = new Set(changes.map(({ pointer }) => pointer.split('/')[1] ?? ''));
        const isDefined = DEFINITION.some((member) => members.has(member));
        if (stored === undefined)
          return [{ endpoint: createTransform, body: { name, ...spec }, id: 'transform_id' }, hydrate, ...timed.calls];
        const body = patchOf(compared(spec), { members, isDefined });
        const patch = { endpoint: changeTransform, params, body, ifMatch: stored.etag };
        const isPatched = Object.keys(body).length > 0;
        return [...(isPatched ? [patch] : []), ...(isDefined ? [hydrate] : []), ...timed.calls];
      },
    };
  },
});

const ARCHIVED: ItemFault = {
  code: 'name_taken',
  pointer: '/metadata/name',
  detail: 'An archived transform has this name: restore or delete it.',
  conflict: true,
};

/** A definition is sent as a whole, so that nothing of the one before is left. */
function patchOf(wanted: Json, { members, isDefined }: { members: ReadonlySet<string>; isDefined: boolean }): Json {
  const isSent = (member: string) => (DEFINITION.some((one) => one === member) ? isDefined : members.has(member));
  return Object.fromEntries(Object.entries(wanted).filter(([member]) => isSent(member)));
}

/** The definition of a spec. Throws what one is refused with, whatever is in its inputs. */
async function definitionOf(kernel: Deps['kernel'], { name }: Asked, spec: TransformSpecBody): Promise<NewTransform> {
  const made = await fromPattern(kernel).body({ ...spec, name });
  const { materialization = 'full', key = [], partition_by: partitionBy = [], incremental } = made;
  assertMaterializing({ materialization, key, partitionBy, incremental });
  const broken = checkFaults(made.checks ?? []);
  const errors = broken.map(({ code }) => ({ pointer: '/checks', code }));
  if (broken.length > 0) throw transformProblems.checksRefused({ values: { count: broken.length }, errors });
  return made;
}

async function faultsOf(asked: Asked, spec: TransformSpecBody, made: NewTransform): Promise<ItemFault[]> {
  const { tenant, reader, name, earlier } = asked;
  const foreign = foreignPlaces(spec, made.sql, tenant.scope).map((place) => ({
    code: 'reference_unknown',
    pointer: `/spec${place}`,
    detail: 'It names a dataset of another tenant.',
  }));
  const output = spec.output.toLowerCase();
  const all = await reader.all<TransformView>(listTransforms);
  const isPlanned = earlier.some((one) => one.name !== name && String(one.spec.output).toLowerCase() === output);
  const isMoved = (view: TransformView) => earlier.some((one) => one.name === view.name);
  const isWritten = (view: TransformView) => view.name !== name && (view.draft ?? view).output === output;
  const isTaken = isPlanned || all.some((view) => isWritten(view) && !isMoved(view));
  const taken: ItemFault = {
    code: 'output_taken',
    pointer: '/spec/output',
    detail: 'Another transform writes this table.',
    conflict: true,
  };
  return [...outputFaults(tenant, spec.output), ...foreign, ...(isTaken ? [taken] : [])];
}

function outputFaults({ scope }: Tenant, output: string): ItemFault[] {
  try {
    outputId(scope, output);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ code: error.code, pointer: '/spec/output', detail: error.message }];
  }
}
