import t from 'tap';
import type { GivenPropertyBody } from '../src/contract/documents.ts';
import { wholeDocument } from '../src/model/type/document.ts';
import { valueFaults } from '../src/model/type/value-faults.ts';

const codesOf = (property: Omit<GivenPropertyBody, 'code'>, value: unknown): string[] => {
  const { properties } = wholeDocument({ properties: [{ code: 'it', ...property }], primary_key: ['it'] });
  return valueFaults({ properties })({ it: value }).map(({ code }) => code);
};

/** A property, the values that it allows, and by their faults those that it does not. */
const CASES: [Omit<GivenPropertyBody, 'code'>, unknown[], Record<string, unknown[]>][] = [
  [{ value_type: 'string' }, ['anything', '', null, undefined], {}],
  [{ value_type: 'string', enum: ['Müller & Söhne', 'b'] }, ['b', 'Müller & Söhne', null], { not_in_enum: ['B', ''] }],
  [{ value_type: 'integer', enum: [1, 2] }, [1, 2], { not_in_enum: [3] }],
  [{ value_type: 'long', enum: ['9007199254740993'] }, ['9007199254740993'], { not_in_enum: ['9007199254740992'] }],
  [
    { value_type: 'uuid', enum: ['0199D3F2-5C1E-7A40-9B6D-3F1C2A7E8D90'] },
    ['0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d90'],
    { not_in_enum: ['0199d3f2-5c1e-7a40-9b6d-3f1c2a7e8d91'] },
  ],
  [
    { value_type: 'long', constraints: { min: '-1', max: '9007199254740993' } },
    ['-1', '0', '9007199254740993'],
    { below_min: ['-2', '-9223372036854775808'], above_max: ['9007199254740994'] },
  ],
  [
    { value_type: 'double', constraints: { min: -0.5, max: 1e300 } },
    [-0.5, 0, 1e300],
    { below_min: [-0.51], above_max: [1.1e300] },
  ],
  [
    { value_type: 'decimal', constraints: { precision: 38, scale: 2, max: '0.1' } },
    ['0.10', '-5'],
    { above_max: ['0.11', '12345678901234567890.00'] },
  ],
  [
    { value_type: 'date', constraints: { min: '0999-12-31', max: '2024-02-29' } },
    ['0999-12-31', '2024-02-29'],
    { below_min: ['0001-01-01'], above_max: ['2024-03-01'] },
  ],
  [
    { value_type: 'timestamptz', constraints: { min: '2024-01-01T00:00:00.500Z', max: '2024-01-01T00:00:01Z' } },
    ['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:01Z', '2024-01-01T00:00:00.999Z'],
    { below_min: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.499Z'], above_max: ['2024-01-01T00:00:01.000001Z'] },
  ],
  [{ value_type: 'string', constraints: { pattern: '^[A-Z]' } }, ['Ab'], { pattern_missed: ['ab', ''] }],
  [{ value_type: 'text', constraints: { max_length: 2 } }, ['ä💧', ''], { too_long: ['abc'] }],
];

t.test('a value is judged by the enum and the constraints of its property, as it travels', async (t) => {
  for (const [property, allowed, refused] of CASES) {
    const shown = JSON.stringify(property);
    for (const value of allowed) t.strictSame(codesOf(property, value), [], `${shown} ${value}`);
    for (const [code, values] of Object.entries(refused))
      for (const value of values) t.strictSame(codesOf(property, value), [code], `${shown} ${value}`);
  }
  const both = { value_type: 'string', constraints: { pattern: 'x', max_length: 1 } } as const;
  t.strictSame(codesOf(both, 'abc'), ['pattern_missed', 'too_long'], 'each fault is said');
});
