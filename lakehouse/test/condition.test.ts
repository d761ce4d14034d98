import fc from 'fast-check';
import t from 'tap';
import {
  CONDITION_OPS,
  type Condition,
  type ConditionOp,
  type Field,
  type FieldType,
  type LiveFile,
  type PrimitiveType,
  parseCondition,
} from '../src/index.ts';
import { conditionText } from '../src/scan/condition-text.ts';
import { mayHold } from '../src/scan/prune.ts';
import { encodeBound } from '../src/schema/bounds.ts';
import { liveFile } from './live-file.ts';
import { compareValues, fits, type TypedValue, VALUES } from './typed-values.ts';

const fieldOf = (type: FieldType): Field => ({ id: 7, name: 'v', required: false, type });

/** A file as a writer of this library, or a poorer one, would describe it. */
function fileOf(type: PrimitiveType, values: readonly (TypedValue | null)[], told: readonly boolean[]): LiveFile {
  const there = values.filter((value) => value !== null).toSorted(compareValues);
  const bound = (side: 'lower' | 'upper', value: TypedValue | undefined, known: boolean) => {
    const hasNan = there.some(({ key }) => Number.isNaN(key));
    const text = value === undefined || hasNan || !known ? undefined : conditionText(type, value.text);
    const bytes = text === undefined ? undefined : encodeBound(type, text, side);
    return bytes === undefined ? null : [{ key: 7, value: bytes }];
  };
  return liveFile({
    recordCount: BigInt(values.length),
    figures: {
      nulls: told[0] ? [{ key: 7, value: BigInt(values.length - there.length) }] : null,
      lower: bound('lower', there[0], told[1] === true),
      upper: bound('upper', there.at(-1), told[2] === true),
    },
  });
}

const someCase = fc.constantFrom(...VALUES).chain(([type, value]) =>
  fc.record({
    type: fc.constant(type),
    values: fc.array(fc.option(value), { minLength: 1, maxLength: 8 }),
    constant: value,
    op: fc.constantFrom(...CONDITION_OPS),
    told: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  }),
);

const conditionOf = (type: PrimitiveType, op: ConditionOp, constant: TypedValue): Condition | undefined => {
  const bare = op === 'is_null' || op === 'not_null';
  const found = parseCondition(fieldOf(type), op, bare ? undefined : constant.text);
  return typeof found === 'object' ? found : undefined;
};

t.test('statistics never rule out a file that holds a fitting row', async (t) => {
  let pruned = 0;
  let asked = 0;
  fc.assert(
    fc.property(someCase, ({ type, values, constant, op, told }) => {
      const condition = conditionOf(type, op, constant);
      if (condition === undefined) return true;
      asked += 1;
      const kept = mayHold(fileOf(type, values, told), [condition]);
      if (!kept) pruned += 1;
      return kept || !values.some((value) => fits(op, value, constant));
    }),
    { numRuns: 5_000 },
  );
  t.ok(asked > 1_000, `${asked} of the cases had a condition`);
  t.ok(pruned > 100, `${pruned} of ${asked} files were ruled out`);
});

t.test('a file is ruled out by each kind of figure', async (t) => {
  const at = (text: string): TypedValue => ({ text, key: BigInt(text) });
  const file = fileOf('long', [at('10'), at('20')], [true, true, true]);
  const held = (op: ConditionOp, text: string) => mayHold(file, [conditionOf('long', op, at(text))!]);
  const kept: [ConditionOp, string, boolean][] = [
    ['eq', '9', false],
    ['eq', '10', true],
    ['eq', '21', false],
    ['lt', '10', false],
    ['lt', '11', true],
    ['le', '9', false],
    ['le', '10', true],
    ['gt', '20', false],
    ['gt', '19', true],
    ['ge', '21', false],
    ['ge', '20', true],
    ['ne', '10', true],
    ['is_null', '0', false],
    ['not_null', '0', true],
  ];
  for (const [op, text, expected] of kept) t.equal(held(op, text), expected, `${op} ${text}`);
  const empty = fileOf('long', [null, null], [true, true, true]);
  t.notOk(mayHold(empty, [conditionOf('long', 'not_null', at('0'))!]), 'all rows are null');
  const text = (value: string): TypedValue => ({ text: value, key: value });
  const words = fileOf('string', [text('mango'), text('pear')], [true, true, true]);
  const starts = (prefix: string) => mayHold(words, [conditionOf('string', 'starts_with', text(prefix))!]);
  t.strictSame(['l', 'm', 'mango', 'n', 'pears', 'q'].map(starts), [false, true, true, true, false, false]);
});

t.test('a type that was widened since reads its narrow bounds, and one of another width is no bound', async (t) => {
  const raw = Buffer.alloc(4);
  raw.writeInt32LE(5);
  const bounds = [{ key: 7, value: raw }];
  const file = { ...fileOf('int', [null], [false]), figures: { nulls: null, lower: bounds, upper: bounds } };
  const eq = (type: FieldType, text: string) => mayHold(file, [parseCondition(fieldOf(type), 'eq', text) as Condition]);
  t.notOk(eq('long', '6'));
  t.ok(eq('long', '5'));
  t.ok(eq('timestamp', '2026-01-01'), 'days are no microseconds');
});

t.test('values are taken as they are written, exactly, or refused', async (t) => {
  const taken: [PrimitiveType, string, string][] = [
    ['int', '-2147483648', '-2147483648'],
    ['long', '9223372036854775807', '9223372036854775807'],
    ['long', '007', '7'],
    ['double', '1e3', '1000'],
    ['double', '-Infinity', '-Infinity'],
    ['float', '0.1', '0.10000000149011612'],
    ['decimal(9, 2)', '0012.3400', '12.34'],
    ['decimal(9, 2)', '-0.5', '-0.5'],
    ['decimal(3, 0)', '12.0', '12'],
    ['date', '2024-02-29', '2024-02-29'],
    ['time', '23:59', '23:59:00'],
    ['timestamp', '2024-02-29T01:02:03.000001', '2024-02-29 01:02:03.000001'],
    ['timestamptz', '2024-03-01T00:30:00.5+01:00', '2024-02-29 23:30:00.5+00'],
    ['timestamptz', '2024-03-01T00:30Z', '2024-03-01 00:30:00+00'],
    ['timestamptz', '2024-03-01', '2024-03-01 00:00:00+00'],
    ['string', "'; drop table x --", "'; drop table x --"],
    ['uuid', '0189ABCD-0000-7000-8000-000000000001', '0189abcd-0000-7000-8000-000000000001'],
    ['boolean', 'true', 'true'],
  ];
  for (const [type, given, text] of taken) t.equal(conditionText(type, given), text, `${type} ${given}`);
  const refused: [PrimitiveType, string][] = [
    ['int', '2147483648'],
    ['long', '9223372036854775808'],
    ['long', '1.0'],
    ['long', '٣'],
    ['double', 'NaN'],
    ['double', '1e999'],
    ['double', '0x10'],
    ['double', ''],
    ['float', '1e39'],
    ['decimal(9, 2)', '1.234'],
    ['decimal(9, 2)', '12345678'],
    ['decimal(9, 2)', `${'0'.repeat(100)}1`],
    ['date', '2023-02-29'],
    ['date', '2024-1-1'],
    ['date', '0000-01-01'],
    ['time', '24:00'],
    ['timestamp', '2024-01-01T00:00:00Z'],
    ['timestamptz', '2024-01-01T00:00:00'],
    ['timestamptz', '2024-01-01T00:00:00+19:00'],
    ['timestamptz', '0001-01-01T00:00:00+01:00'],
    ['timestamp', '2024-01-01 00:00:00'],
    ['timestamp', '2024-01-01T00:00:00.1234567'],
    ['uuid', 'x'],
    ['boolean', 'TRUE'],
  ];
  for (const [type, given] of refused) t.equal(conditionText(type, given), undefined, `${type} ${given}`);
});

t.test('each type has the comparisons that mean something for it', async (t) => {
  const list: FieldType = { type: 'list', 'element-id': 8, element: 'int', 'element-required': false };
  const cases: [FieldType, ConditionOp, string | undefined, string][] = [
    ['boolean', 'lt', 'true', 'operator'],
    ['int', 'contains', '1', 'operator'],
    ['binary', 'eq', 'aa', 'operator'],
    [list, 'eq', '1', 'operator'],
    ['int', 'eq', undefined, 'value'],
    ['int', 'is_null', '1', 'value'],
    ['int', 'eq', 'x', 'value'],
  ];
  for (const [type, op, value, fault] of cases) t.equal(parseCondition(fieldOf(type), op, value), fault);
  for (const type of ['binary', list] as const) t.type(parseCondition(fieldOf(type), 'not_null', undefined), 'object');
});
