import { Ajv, type Options } from 'ajv';
import t from 'tap';
import { schemaFaults } from '../src/index.ts';

const text = { type: 'string' };

function faults(schema: object, value: unknown, more: Options = {}) {
  const ajv = new Ajv({ verbose: true, strict: false, ...more });
  const validate = ajv.compile(schema);
  return validate(value) ? [] : schemaFaults(validate.errors ?? []);
}

t.test('a number, text or list out of bounds → the bound', async (t) => {
  const limit = { type: 'integer', minimum: 1, maximum: 500 };
  const cases: [object, unknown, string][] = [
    [limit, 'abc', 'must be a whole number from 1 to 500'],
    [limit, 0, 'must be from 1 to 500'],
    [{ type: 'number', minimum: 2 }, 1, 'must be at least 2'],
    [{ type: 'number', exclusiveMaximum: 2 }, 2, 'must be below 2'],
    [{ ...text, maxLength: 3 }, 'abcd', 'must have at most 3 characters'],
    [{ type: 'array', minItems: 1 }, [], 'must have at least 1 items'],
    [{ ...text, pattern: '^[a-z]+$' }, 'A', 'must match ^[a-z]+$'],
    [{ type: ['string', 'null'] }, 1, 'must be a text or null'],
    [{ enum: ['a', 'b'] }, 'c', 'must be one of a, b'],
  ];
  for (const [schema, value, message] of cases) t.match(faults(schema, value), [{ pointer: '', message }], message);
});

t.test('an unknown member → its name where it is plainly one, the nearest known name, all known names', async (t) => {
  const schema = { type: 'object', properties: { path: text, url: text }, additionalProperties: false };
  t.strictSame(faults(schema, { pth: 'hunter2' }), [
    {
      ...{ pointer: '', code: 'additionalProperties', known: ['path', 'url'] },
      message: 'has an unknown member `pth`; did you mean `path`?',
    },
  ]);
  const [far] = faults(schema, { hunter2: 'hunter2' });
  t.equal(far?.message, 'has an unknown member; it may have `path`, `url`', 'it may be a secret in the wrong place');
  const names = { type: 'object', properties: { username: text, password: text }, additionalProperties: false };
  t.match(faults(names, { user: 1 }), [{ message: 'has an unknown member `user`; did you mean `username`?' }]);
  t.match(faults({ type: 'object', required: ['name'] }, {}), [{ pointer: '/name', message: 'is required' }]);
});

t.test('a choice between words → one fault with the words; between forms → that of the nearest form', async (t) => {
  const words = { anyOf: [{ const: 'full' }, { const: 'append' }, { type: 'null' }] };
  t.strictSame(faults(words, 'other'), [
    { pointer: '', code: 'enum', message: 'must be one of full, append', known: ['full', 'append'] },
  ]);
  const oneOf = ['path', 'url', 'urls'].map((name) => ({ required: [name] }));
  t.match(faults({ type: 'object', oneOf }, { pth: 1 }, { allErrors: true }), [
    { pointer: '', code: 'required', message: 'needs `path` or `url` or `urls`' },
  ]);
  const form = (kind: string, member: string) => ({
    ...{ type: 'object', required: ['kind', member], properties: { kind: { const: kind }, [member]: text } },
  });
  const forms = { anyOf: [form('a', 'x'), form('b', 'y'), text] };
  t.match(faults(forms, { kind: 'b' }, { allErrors: true }), [
    { pointer: '/y', code: 'required', message: 'is required' },
  ]);
  t.equal(faults(forms, { kind: 'b', y: 1 }, { allErrors: true }).length, 1);
});
