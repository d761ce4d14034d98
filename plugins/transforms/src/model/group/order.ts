/** A step as far as its place among others is concerned. Datasets by id. */
export interface Placed {
  stepId: string;
  output: string;
  inputs: readonly string[];
  /** Steps that it waits for although it reads nothing of theirs; ids. */
  after?: readonly string[] | undefined;
}

/** A step with the positions of those that it waits for, all before its own. */
export interface Ordered<S> {
  step: S;
  after: number[];
}

/**
 * The steps in an order in which each comes behind those that it waits for: what writes a table that it reads, and what it names.
 * Otherwise in the order given; `circle`: steps that wait for each other, ids, where that has no order. Pure.
 */
export function orderSteps<S extends Placed>(steps: readonly S[]): { ordered: Ordered<S>[] } | { circle: string[] } {
  const byOutput = new Map(steps.map((step) => [step.output.toLowerCase(), step]));
  const byId = new Map(steps.map((step) => [step.stepId, step]));
  const waitsFor = new Map(
    steps.map((step) => {
      const written = step.inputs.map((id) => byOutput.get(id.toLowerCase()));
      const named = (step.after ?? []).map((id) => byId.get(id));
      return [step, new Set([...written, ...named].filter((one) => one !== undefined))];
    }),
  );
  const positions = new Map<S, number>();
  let left = [...steps];
  while (left.length > 0) {
    const next = left.find((step) => [...(waitsFor.get(step) ?? [])].every((one) => positions.has(one)));
    if (next === undefined) return { circle: circleOf(left, waitsFor).map(({ stepId }) => stepId) };
    positions.set(next, positions.size);
    left = left.filter((step) => step !== next);
  }
  const ordered = [...positions.keys()].map((step) => ({
    step,
    after: [...(waitsFor.get(step) ?? [])].map((one) => positions.get(one) as number).toSorted((a, b) => a - b),
  }));
  return { ordered };
}

/** One circle among steps of which each waits for another of them. */
function circleOf<S>(left: readonly S[], waitsFor: ReadonlyMap<S, ReadonlySet<S>>): S[] {
  const path: S[] = [];
  let at = left[0] as S;
  while (!path.includes(at)) {
    path.push(at);
    at = [...(waitsFor.get(at) ?? [])].find((one) => left.includes(one)) as S;
  }
  return path.slice(path.indexOf(at));
}
