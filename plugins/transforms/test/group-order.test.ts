import fc from 'fast-check';
import t from 'tap';
import { orderSteps, type Placed } from '../src/model/group/order.ts';

const step = (stepId: string, inputs: string[] = [], more: Partial<Placed> = {}): Placed => ({
  ...{ stepId, output: `gold.acme.${stepId}`, inputs: inputs.map((id) => `gold.acme.${id}`) },
  ...more,
});
const placed = (steps: readonly Placed[]) => {
  const order = orderSteps(steps);
  return 'circle' in order ? order.circle : order.ordered.map(({ step: { stepId }, after }) => [stepId, ...after]);
};

t.test('steps stand behind what they read and what they name, otherwise as they were given', async (t) => {
  t.strictSame(placed([step('sum', ['base', 'rates']), step('rates', ['elsewhere']), step('base')]), [
    ['rates'],
    ['base'],
    ['sum', 0, 1],
  ]);
  t.strictSame(placed([step('b', [], { after: ['a'] }), step('a')]), [['a'], ['b', 0]]);
  t.strictSame(placed([step('b', ['A']), step('a')]), [['a'], ['b', 0]], 'ids are one whatever their case');
  t.strictSame(placed([]), []);
});

t.test('steps that wait for each other → the circle, and nothing of what only waits for it', async (t) => {
  t.strictSame(placed([step('end', ['c']), step('a', ['c']), step('b', ['a']), step('c', ['b']), step('free')]), [
    ...['c', 'b', 'a'],
  ]);
  t.strictSame(placed([step('a', [], { after: ['a'] })]), ['a']);
});

t.test('whatever the steps, each is there once and behind all that it waits for', async () => {
  const edges = fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 60 });
  const law = fc.property(fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 }), edges, (names, pairs) => {
    const steps = names.map((name) =>
      step(
        `s${name}`,
        pairs.flatMap(([from, to]) => (to === name && from < to ? [`s${from}`] : [])),
      ),
    );
    const order = orderSteps(steps);
    if ('circle' in order) return false;
    const at = new Map(order.ordered.map(({ step: { output } }, position) => [output, position]));
    return (
      at.size === steps.length &&
      order.ordered.every(
        ({ step: { inputs }, after }, position) =>
          inputs.every((id) => after.includes(at.get(id) ?? -1)) && after.every((one) => one < position),
      )
    );
  });
  fc.assert(law, { numRuns: 200 });
});
