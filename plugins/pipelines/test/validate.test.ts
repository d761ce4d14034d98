import t from 'tap';
import { judgeSteps, type StepToJudge, type World } from '../src/model/validate.ts';

const WORLD: World = { publish: 'together', canPublishTogether: true, outer: new Map(), others: [] };

interface Asked {
  inputs?: readonly string[];
  columns?: readonly { name: string; type: string }[];
  reads?: readonly { dataset_id: string; column: string; type: string }[];
  after?: readonly string[];
  output?: string;
}

/** A step that writes `gold.acme.<id>` unless told otherwise. */
function step(stepId: string, { inputs = [], columns = [], reads = [], after = [], output }: Asked = {}): StepToJudge {
  const written = output ?? `gold.acme.${stepId}`;
  const transform = { transformId: stepId, name: stepId, isArchived: false, output: written, artifactId: stepId };
  return { stepId, after, transform, artifact: { artifactId: stepId, output: written, inputs, columns, reads } };
}

const judge = (steps: readonly StepToJudge[], world: Partial<World> = {}) => judgeSteps(steps, { ...WORLD, ...world });
const codes = (steps: readonly StepToJudge[], world: Partial<World> = {}) =>
  judge(steps, world).faults.map(({ code, step_id }) => `${step_id}: ${code}`);

t.test('edges come from the tables → waves, inputs with the step that writes them', async (t) => {
  const inputs = ['gold.acme.A', 'bronze.acme.raw'];
  const outer = new Map([['bronze.acme.raw', { columns: [] }]]);
  const found = judge([step('c', { after: ['b'] }), step('b', { inputs }), step('a')], { outer });
  t.match(found, { valid: true, waves: [['a'], ['b'], ['c']], faults: [] });
  t.strictSame(found.steps[1]?.inputs, [
    { dataset_id: 'gold.acme.A', from_step: 'a' },
    { dataset_id: 'bronze.acme.raw', from_step: null },
  ]);
});

t.test('a circle → named with its path, once, in the order in which rows would flow', async (t) => {
  const ring = [step('a', { inputs: ['gold.acme.c'] }), step('b', { inputs: ['gold.acme.a'] })];
  const { faults, waves } = judge([...ring, step('c', { after: ['b'] }), step('d', { inputs: ['gold.acme.c'] })]);
  t.strictSame(
    faults.map(({ code, path }) => [code, path]),
    [['cycle', ['a', 'b', 'c', 'a']]],
  );
  t.strictSame(waves, []);
  t.match(judge([step('a', { inputs: ['gold.acme.a'] })]).faults, [{ code: 'cycle', path: ['a', 'a'] }]);
});

t.test('a circle through an active pipeline → named; one among others alone is not ours', async (t) => {
  const other = (stepId: string, output: string, inputs: string[]) => ({
    ...{ pipeline: 'nightly', stepId, transformId: stepId, output, inputs, after: [] },
  });
  const others = [other('back', 'gold.acme.in', ['gold.acme.a']), other('self', 'gold.acme.self', ['gold.acme.self'])];
  const { faults } = judge([step('a', { inputs: ['gold.acme.in'] })], { others });
  t.match(faults, [{ code: 'cycle', step_id: 'a', path: ['a', 'nightly/back', 'a'] }]);
  t.equal(faults.length, 1);
});

t.test('each fault → its code, with its step', async (t) => {
  const hydrated = step('a');
  t.strictSame(codes([]), ['null: steps_empty']);
  t.strictSame(codes([{ ...hydrated, transform: undefined, artifact: undefined }]), ['a: transform_unknown']);
  t.strictSame(codes([{ ...hydrated, artifact: undefined }]), ['a: not_hydrated']);
  const archived = { ...hydrated, transform: { ...(hydrated.transform as object), isArchived: true } } as StepToJudge;
  t.strictSame(codes([archived]), ['a: transform_archived']);
  t.strictSame(codes([hydrated, step('a', { output: 'gold.acme.z' })]), ['a: step_doubled']);
  t.strictSame(codes([step('a', { after: ['a'] }), step('b', { after: ['z'] })]), [
    'a: step_unknown',
    'b: step_unknown',
  ]);
  t.strictSame(codes([hydrated, step('b', { output: 'gold.acme.A' })]), ['b: output_doubled']);
  t.strictSame(codes([hydrated, step('b')], { canPublishTogether: false }), ['null: together_impossible']);
  t.strictSame(codes([hydrated, step('b')], { canPublishTogether: false, publish: 'each' }), []);
  const other = { pipeline: 'p', stepId: 's', transformId: 'other', output: 'gold.acme.a', inputs: [], after: [] };
  t.strictSame(codes([hydrated], { others: [other] }), ['a: output_taken']);
  t.strictSame(
    codes([hydrated], { others: [{ ...other, transformId: 'a' }] }),
    [],
    'the same transform may be in both',
  );
});

t.test('tables and columns that are not as the version in force knows them → named', async (t) => {
  const raw = 'bronze.acme.raw';
  const reads = [{ dataset_id: raw, column: 'Total', type: 'long' }];
  const reader = step('a', { inputs: [raw], reads });
  for (const code of ['input_missing', 'input_not_made', 'dataset_not_readable', 'dataset_unreadable'] as const)
    t.strictSame(codes([reader], { outer: new Map([[raw, { code }]]) }), [`a: ${code}`]);
  const having = (columns: { name: string; type: string }[]) =>
    codes([reader], { outer: new Map([[raw, { columns }]]) });
  t.strictSame(having([{ name: 'total', type: 'long' }]), []);
  t.strictSame(having([{ name: 'total', type: 'string' }]), ['a: column_type_changed']);
  t.strictSame(having([]), ['a: column_missing']);
  const inner = [{ dataset_id: 'gold.acme.a', column: 'v', type: 'int' }];
  const { faults } = judge([step('a'), step('b', { inputs: ['gold.acme.a'], reads: inner })]);
  t.match(faults, [{ code: 'column_missing', step_id: 'b', other_step_id: 'a', column: 'v', pointer: '/steps/1' }]);
});
