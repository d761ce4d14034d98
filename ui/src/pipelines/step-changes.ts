import type { GivenStepBody, PipelineView } from '@weir/plugin-pipelines/contract';

type Steps = PipelineView['steps'];
const MAX_ID = 63;

/** The id of a step of this name: letters, digits, `_` and `-`, with a number where it is taken. */
export function stepIdOf(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '');
  const base = (plain === '' ? 'step' : plain).slice(0, MAX_ID - 4);
  for (let next = 1; ; next += 1) {
    const id = next === 1 ? base : `${base}_${next}`;
    if (!taken.includes(id)) return id;
  }
}

/** Steps as a request gives them. */
export const givenSteps = (steps: Steps): GivenStepBody[] =>
  steps.map(({ step_id, transform_id, after }) => ({ step_id, transform_id, after }));

/** The steps without one of them; those that waited for it by `after` do so no more. */
export const without = (steps: Steps, id: string): GivenStepBody[] =>
  givenSteps(steps)
    .filter(({ step_id }) => step_id !== id)
    .map((step) => ({ ...step, after: (step.after ?? []).filter((one) => one !== id) }));

/** Steps, and an arrow from each to those that read its table or wait for it. */
export function stepGraph(steps: Steps) {
  const edges = steps.flatMap(({ step_id: to, inputs, after }) => {
    const read = inputs.flatMap(({ from_step }) => (from_step === null ? [] : [from_step]));
    return [...new Set([...read, ...after])].map((from) => ({ from, to, code: '' }));
  });
  return { nodes: steps.map((step) => ({ code: step.step_id, step })), edges };
}
