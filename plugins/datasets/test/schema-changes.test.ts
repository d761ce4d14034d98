import fc from 'fast-check';
import t from 'tap';
import { type FieldOfSchema, schemaChanges } from '../src/contract.ts';

const field = (id: number, name: string, more: Partial<FieldOfSchema> = {}): FieldOfSchema => ({
  id,
  parent_id: null,
  name,
  type: 'long',
  required: false,
  ...more,
});
const told = (before: FieldOfSchema[], after: FieldOfSchema[]) =>
  schemaChanges(before, after).map(({ change, path, from, to }) => `${change} ${path} ${from} ${to}`);

t.test('a field is followed by its id', async (t) => {
  const before = [field(1, 'a'), field(2, 'b'), field(3, 'c', { required: true })];
  t.strictSame(told(before, before), []);
  t.strictSame(told(before, [field(1, 'a'), field(2, 'x'), before[2]!]), ['renamed x b x']);
  t.strictSame(told(before, [field(1, 'a'), field(4, 'b'), before[2]!]), ['removed b long null', 'added b null long']);
  t.strictSame(told(before, [field(1, 'a', { type: 'double' }), field(2, 'b'), field(3, 'c')]), [
    'type_changed a long double',
    'nullability_changed c required optional',
  ]);
  t.strictSame(told(before, [before[2]!, before[0]!, before[1]!]), ['moved c 3 1'], 'one moved, the others made room');
});

t.test('what is nested is told by its path, and not again when all around it came or went', async (t) => {
  const inner = [field(2, 'street', { parent_id: 1, type: 'string' }), field(3, 'no', { parent_id: 1 })];
  const whole = [field(1, 'home', { type: 'struct<street: string, no: long>' }), ...inner];
  t.strictSame(told([], whole), ['added home null struct<street: string, no: long>']);
  t.strictSame(told(whole, []), ['removed home struct<street: string, no: long> null']);
  const grown = [
    field(1, 'home', { type: 'struct<street: string, no: string>' }),
    inner[0]!,
    { ...inner[1]!, type: 'string' },
  ];
  t.strictSame(told(whole, grown), ['type_changed home.no long string'], 'the struct is a struct as before');
  t.strictSame(told(whole, [whole[0]!, inner[1]!, inner[0]!]), ['moved home.no 2 1']);
});

const someSchema = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      name: fc.constantFrom('a', 'b', 'c'),
      type: fc.constantFrom('int', 'long'),
    }),
    { selector: ({ id }) => id },
  )
  .map((fields) => fields.map(({ id, name, type }) => field(id, name, { type })));

t.test('the changes of two schemas, done to the first, give the second', async (t) => {
  fc.assert(
    fc.property(someSchema, someSchema, (before, after) => {
      const changes = schemaChanges(before, after);
      const of = (kind: string) =>
        new Map(changes.filter(({ change }) => change === kind).map((one) => [one.field_id, one]));
      const [added, removed, renamed, retyped, moved] = ['added', 'removed', 'renamed', 'type_changed', 'moved'].map(
        of,
      );
      const wanted = new Map(after.map((one) => [one.id, one]));
      const kept = before
        .filter(({ id }) => !removed!.has(id))
        .map((one) => ({
          ...one,
          name: renamed!.get(one.id)?.to ?? one.name,
          type: retyped!.get(one.id)?.to ?? one.type,
        }));
      const still = kept.filter(({ id }) => !moved!.has(id)).map(({ id }) => id);
      return (
        kept.length + added!.size === after.length &&
        kept.every(({ id, name, type }) => wanted.get(id)?.name === name && wanted.get(id)?.type === type) &&
        [...added!.keys()].every((id) => wanted.has(id) && !before.some((one) => one.id === id)) &&
        JSON.stringify(after.map(({ id }) => id).filter((id) => still.includes(id))) === JSON.stringify(still)
      );
    }),
    { numRuns: 1_000 },
  );
  t.pass('holds');
});
