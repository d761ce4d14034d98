import type { TenantTransaction } from '@weir/kernel';
import { type FieldFault, Problem } from '@weir/kernel/contract';
import type { DefinitionsService, FactsService } from '@weir/plugin-transforms/contract';
import { type GivenStepBody, stepProblems } from '../contract.ts';
import type { Step } from '../model/entities.ts';
import { type KnownStep, knownSteps } from './known-steps.ts';

export interface GivenDeps {
  facts: FactsService;
  definitions: Pick<DefinitionsService, 'make'>;
}

/** Steps of a request as they are kept: transforms that it describes are made. Throws `steps_refused`, and what making a transform throws. */
export async function keptSteps(
  { facts, definitions }: GivenDeps,
  tx: TenantTransaction,
  given: readonly GivenStepBody[],
  { by, placed = (at) => `/steps/${at}` }: { by: string; placed?: (at: number) => string },
): Promise<KnownStep[]> {
  assertShape(given, placed);
  const steps: Step[] = [];
  for (const [at, { step_id, transform_id, transform, after = [] }] of given.entries()) {
    const made = transform && (await within(`${placed(at)}/transform`, () => definitions.make(tx, by, transform)));
    const id = (made?.transform_id ?? transform_id ?? '').toLowerCase();
    steps.push({ step_id, transform_id: id, after: [...after] });
  }
  const [known = []] = await knownSteps(facts, tx, [steps], { lock: true });
  const faults = known.flatMap(({ transform }, at): FieldFault[] => {
    if (transform === undefined) return [{ pointer: placed(at), code: 'transform_unknown' }];
    return transform.isArchived ? [{ pointer: placed(at), code: 'transform_archived' }] : [];
  });
  refuse(faults);
  return known;
}

/** Throws `steps_refused` where steps do not fit together, whatever their transforms are. */
export function assertShape(given: readonly GivenStepBody[], placed = (at: number) => `/steps/${at}`): void {
  refuse(shapeFaults(given, placed));
}

function shapeFaults(given: readonly GivenStepBody[], placed: (at: number) => string): FieldFault[] {
  return given.flatMap(({ step_id, transform_id, transform, after = [] }, at) => {
    const faults: FieldFault[] = [];
    if (given.findIndex((other) => other.step_id === step_id) !== at)
      faults.push({ pointer: `${placed(at)}/step_id`, code: 'step_doubled' });
    if ((transform_id === undefined) === (transform === undefined))
      faults.push({ pointer: placed(at), code: 'transform_unclear' });
    for (const [index, other] of after.entries())
      if (other === step_id || !given.some((one) => one.step_id === other))
        faults.push({ pointer: `${placed(at)}/after/${index}`, code: 'step_unknown' });
    return faults;
  });
}

function refuse(errors: FieldFault[]): void {
  if (errors.length > 0) throw stepProblems.stepsRefused({ errors, values: { count: errors.length } });
}

/** Names the faults of a part of the body by their places in the whole. */
async function within<T>(pointer: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors = [] } = error.details;
    const placed = errors.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
    throw new Problem(error.entry, { ...error.details, ...(errors.length > 0 && { errors: placed }) });
  }
}
