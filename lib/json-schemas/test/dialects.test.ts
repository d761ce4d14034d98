import { compileSchema, DIALECTS, dialectOf, type Schema, validatorOf } from '@weir/json-schemas';
import t from 'tap';

t.test('two patterns in one schema → each member is held to its own', async (t) => {
  const schema = { properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } } };
  for (const validate of [compileSchema(schema), ...DIALECTS.map((dialect) => validatorOf(dialect).compile(schema))]) {
    t.ok(validate({ a: 'aa', b: 'b' }));
    t.notOk(validate({ a: 'b' }));
    t.notOk(validate({ b: 'a' }));
  }
});

t.test('the dialect is the one that `$schema` names, the newest without one, and undefined for others', async (t) => {
  const named = (uri: string) => dialectOf({ $schema: uri });
  t.equal(dialectOf({}), '2020-12');
  t.equal(dialectOf(true), '2020-12');
  t.equal(named('http://json-schema.org/draft-04/schema#'), 'draft-04');
  t.equal(named('https://json-schema.org/draft-07/schema#'), 'draft-07');
  t.equal(named('https://json-schema.org/draft/2019-09/schema'), '2019-09');
  t.equal(named('https://example.com/own'), undefined);
});

t.test('every dialect knows its own words, and fetches no reference', async (t) => {
  const judged = (schema: Schema, value: unknown) =>
    DIALECTS.map((dialect) => validatorOf(dialect).compile(schema)(value));
  t.notOk(validatorOf('draft-04').compile({ minimum: 1, exclusiveMinimum: true })(1));
  t.strictSame(judged({ dependentRequired: { a: ['b'] } }, { a: 1 }), [true, true, true, false, false]);
  t.strictSame(judged({ prefixItems: [{ type: 'string' }] }, [1]), [true, true, true, true, false]);
  for (const dialect of DIALECTS)
    t.throws(() => validatorOf(dialect).compile({ $ref: 'http://127.0.0.1/x' }), { message: /resolve reference/ });
});
