import t from 'tap';
import { contain, type Policy, sideOf } from '../src/model/containment/judge.ts';
import type { Node } from '../src/model/schema/places.ts';

const judge = (a: Node, b: Node, policy: Policy = 'optional_friendly') => contain(sideOf(a), sideOf(b), policy);
const outcome = (a: Node, b: Node, policy?: Policy) => judge(a, b, policy).outcome;
const object = (properties: Record<string, Node>, more: object = {}) => ({ type: 'object', properties, ...more });
const text = { type: 'string' };
const whole = { type: 'integer' };
const tree = (self: string) => object({ below: { type: 'array', items: { $ref: self } } });

const breaking: [rule: string, a: Node, b: Node, pointer: string][] = [
  ['type', { type: ['string', 'null'] }, text, '/type'],
  ['type', { type: 'number' }, whole, '/type'],
  ['enum', { enum: ['a', 'b'] }, { enum: ['a'] }, '/enum'],
  ['enum', text, { enum: ['a'] }, '/enum'],
  ['const', text, { const: 'x' }, '/const'],
  ['minimum', { type: 'integer', minimum: 1 }, { type: 'integer', minimum: 3 }, '/minimum'],
  ['exclusiveMinimum', { type: 'number', minimum: 1 }, { type: 'number', exclusiveMinimum: 1 }, '/exclusiveMinimum'],
  ['maximum', { type: 'number' }, { type: 'number', maximum: 1_000_000 }, '/maximum'],
  ['multipleOf', { type: 'integer', multipleOf: 2 }, { type: 'integer', multipleOf: 4 }, '/multipleOf'],
  ['minLength', text, { type: 'string', minLength: 1 }, '/minLength'],
  [
    'maxLength',
    { type: 'string', pattern: '^[0-9]+$' },
    { type: 'string', pattern: '^[0-9]+$', maxLength: 3 },
    '/maxLength',
  ],
  ['pattern', text, { type: 'string', pattern: '^[A-Z]{3}$' }, '/pattern'],
  ['format', text, { type: 'string', format: 'date' }, '/format'],
  ['required', object({ a: text }), object({ a: text }, { required: ['a'] }), '/required'],
  [
    'type',
    object({ a: { items: object({ b: text }) } }),
    object({ a: { items: object({ b: whole }) } }),
    '/properties/a/items/properties/b/type',
  ],
  ['false', object({ a: text }), object({}, { additionalProperties: false }), '/additionalProperties'],
  ['maxProperties', { type: 'object' }, { type: 'object', maxProperties: 2 }, '/maxProperties'],
  ['minItems', { type: 'array' }, { type: 'array', minItems: 2 }, '/minItems'],
  ['maxItems', { type: 'array', items: text }, { type: 'array', items: text, maxItems: 2 }, '/maxItems'],
  ['uniqueItems', { type: 'array', items: text }, { type: 'array', items: text, uniqueItems: true }, '/uniqueItems'],
  ['type', { prefixItems: [text, whole] }, { prefixItems: [text, text] }, '/prefixItems/1/type'],
  ['anyOf', { type: 'boolean' }, { anyOf: [text, whole] }, '/anyOf'],
  ['not', text, { type: 'string', not: { const: 'a' } }, '/not'],
  [
    'dependentRequired',
    object({ a: text, b: text }),
    object({ a: text, b: text }, { dependentRequired: { a: ['b'] } }),
    '/dependentRequired',
  ],
  [
    'propertyNames',
    object({ A: text }),
    object({ A: text }, { propertyNames: { pattern: '^[a-z]+$' } }),
    '/propertyNames',
  ],
  ['type', { $ref: '#/$defs/x', $defs: { x: text } }, { $ref: '#/$defs/x', $defs: { x: whole } }, '/$defs/x/type'],
];

t.test('one pair for each rule → breaking by that rule, at its pointer, with a value that shows it', async (t) => {
  for (const [rule, a, b, pointer] of breaking) {
    const { outcome, breaks } = judge(a, b);
    const [first] = breaks;
    t.match(
      { outcome, first },
      { outcome: 'breaking', first: { rule, pointer, counterExample: {} } },
      `${rule} ${pointer}`,
    );
    if (first?.counterExample === undefined) continue;
    const { value } = first.counterExample;
    t.ok(sideOf(a).validator.accepts('', value) && !sideOf(b).validator.accepts('', value), JSON.stringify(value));
  }
});

t.test('wider, equal or reordered schemas → compatible', async (t) => {
  const pairs: [a: Node, b: Node][] = [
    [{ enum: ['a'] }, text],
    [whole, { type: 'number' }],
    [
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 1 },
    ],
    [
      { minimum: 0, exclusiveMinimum: true, type: 'integer', $schema: 'http://json-schema.org/draft-04/schema#' },
      { type: 'integer', minimum: 1 },
    ],
    [
      { type: 'integer', multipleOf: 6 },
      { type: 'integer', multipleOf: 3 },
    ],
    [object({ a: text }, { required: ['a'] }), object({ a: { type: ['string', 'null'] } })],
    [{ allOf: [object({ a: text }), { required: ['a'] }] }, object({ a: text }, { required: ['a'] })],
    [{ oneOf: [text, whole] }, { oneOf: [whole, text, { type: 'null' }] }],
    [
      { oneOf: [object({ k: { const: 'a' } }, { required: ['k'] })] },
      {
        oneOf: [object({ k: { const: 'b' } }, { required: ['k'] }), object({ k: { const: 'a' } }, { required: ['k'] })],
      },
    ],
    [{ type: 'string', if: { minLength: 2 }, else: { const: 'a' } }, text],
    [{ $ref: '#/$defs/t', $defs: { t: tree('#/$defs/t') } }, tree('#')],
    [
      {
        items: [text, whole],
        additionalItems: false,
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
      },
      { prefixItems: [text], items: whole, type: 'array' },
    ],
    [false, text],
    [text, true],
  ];
  for (const [a, b] of pairs)
    t.match(judge(a, b), { outcome: 'compatible', breaks: [] }, `${JSON.stringify(a)} in ${JSON.stringify(b)}`);
});

t.test('an optional member more or less → fine on open objects for the friendly policy, strict names it', async (t) => {
  const [one, two] = [object({ a: text }), object({ a: text, b: whole })];
  t.equal(outcome(one, two), 'compatible');
  t.equal(outcome(two, one), 'compatible');
  t.match(judge(one, two, 'strict'), {
    outcome: 'breaking',
    breaks: [{ rule: 'type', pointer: '/properties/b/type' }],
  });
  t.equal(outcome(two, one, 'strict'), 'compatible');
  const closed = object({ a: text }, { additionalProperties: false });
  t.equal(outcome(two, closed), 'breaking', 'a closed object refuses a member that was declared');
  t.equal(outcome(one, closed), 'breaking', 'closing an object changes more than a member');
  t.equal(outcome(closed, object({ a: text, b: text }, { additionalProperties: false }), 'strict'), 'compatible');
});

t.test('what no rule and no value decides → undetermined, with the rule in question', async (t) => {
  const odd = { type: 'array', items: { enum: [1, 2, 3] }, contains: { const: 2 }, maxItems: 1 };
  const found = judge(odd, { type: 'array', items: { enum: [2] } });
  t.match(found, { outcome: 'undetermined', breaks: [{ rule: 'enum', pointer: '/items/enum' }] });
  t.notOk(found.breaks[0]?.counterExample);
});
