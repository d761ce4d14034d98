import fc from 'fast-check';
import t from 'tap';
import { MAX_CHOSEN_VALUES, type PartitionChoice } from '../src/contract/group/partition-choice.ts';
import { choiceFaults, chosenSql } from '../src/model/partition-choice.ts';
import { selectWorld } from './select-kit.ts';

const content = (type: string) => ({
  ...{ materialization: 'partition_overwrite' as const, partition_by: ['Day'] },
  columns: [
    { name: 'day', type },
    { name: 'n', type: 'long' },
  ],
});

t.test('a choice that does not fit the output → refused by its place', async (t) => {
  const faults = (choice: object, of: object) => {
    const found = choiceFaults({ column: 'day', ...choice } as PartitionChoice, of as ReturnType<typeof content>);
    return found.map(({ pointer, code }) => `${pointer} ${code}`).join();
  };
  const date = content('date');
  t.equal(faults({ values: ['2026-01-01', null] }, date), '');
  t.equal(faults({ values: [1] }, { ...date, materialization: 'merge' }), ' not_of_materialization');
  t.equal(faults({ column: 'n', values: [1] }, date), '/column not_a_partition');
  t.equal(faults({ column: 'gone', values: [1] }, date), '/column not_a_partition');
  t.equal(faults({ values: [] }, date), '/values required');
  t.equal(faults({ values: Array(MAX_CHOSEN_VALUES + 1).fill('2026-01-01') }, date), '/values too_many');
  t.equal(faults({ from: '2026-01-01', to: '2026-01-02' }, date), '');
  t.equal(faults({ from: '2026-01-02', to: '2026-01-02' }, date), '/to range_empty');
  t.equal(faults({ from: null, to: 3 }, date), '/from value_unfit,/to value_unfit');
  t.equal(faults({ from: false, to: true }, content('boolean')), '/from range_unfit');
  t.equal(faults({ from: '9', to: 10 }, content('long')), '', 'by number, not by text');
  t.equal(faults({ from: '2026-01-01T02:00:00+02:00', to: '2026-01-01T00:00:01Z' }, content('timestamptz')), '');
  t.equal(faults({ from: '\uffff', to: '\u{10000}' }, content('string')), '', 'as the table orders texts');
  for (const [type, fit, unfit] of [
    ['date', ['2024-02-29'], ['2026-02-30', '2026-1-1', '2026-01-01T00:00:00', 20260101, true]],
    ['int', [-1, '2147483647'], ['2147483648', 1.5, '1e3', '', ' 1']],
    ['long', ['-9223372036854775808'], ['9223372036854775808', 2 ** 53]],
    ['decimal(5, 2)', ['-0999.99', '1.500', '.5'], ['1000', '1.005', 'NaN', '', '-', 1.5]],
    ['timestamp', ['2026-01-01 10:00:00.000001'], ['2026-01-01T10:00:00Z', '2026-02-30T10:00:00']],
    ['timestamptz', ['2026-01-01T10:00:00+05:30'], ['2026-01-01T10:00:00']],
    ['uuid', ['018f4a6e-0000-7000-8000-000000000001'], ['018f4a6e']],
    ['boolean', [true], ['true', 1]],
    ['string', ["Müller & Söhne's", ''], [1, '\0', '\ud800']],
  ] as const) {
    for (const value of fit) t.equal(faults({ values: [value] }, content(type)), '', `${type} ${value}`);
    for (const value of unfit) t.equal(faults({ values: [value] }, content(type)), '/values/0 value_unfit', type);
  }
});

/** Values of a type that differ, in its order. */
const ORDERED: Readonly<Record<string, readonly (string | number)[]>> = {
  long: ['-9223372036854775808', -3, 0, 9, 10, '9007199254740993'],
  date: ['0001-01-01', '1969-12-31', '2024-02-29', '2026-01-01', '9999-12-31'],
  string: ['', "'; drop table x --", 'A', 'a', 'a\nb', 'ä', '\uffff', '\u{1f600}'],
};
const COMMENTED = 'select day, n from made -- every row';

t.test('rows of the chosen partitions, and no others → whatever values are chosen', async (t) => {
  const { selects } = await selectWorld(t);
  for (const [type, values] of Object.entries(ORDERED)) {
    const rows = [...values, null].map((value, n) => ({ value, n }));
    const quoted = (value: string | number | null) =>
      value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`;
    const all = rows.map(({ value, n }) => `(${quoted(value)}, ${n})`).join(', ');
    const sqlName = { long: 'bigint', date: 'date', string: 'varchar' }[type];
    const table = `made as (select cast(v as ${sqlName}) as day, n from (values ${all}) t(v, n))`;
    const place = fc.nat(values.length - 1);
    const picked = fc.subarray(rows, { minLength: 1 }).map((some) => ({
      choice: { column: 'DAY', values: some.map(({ value }) => value) },
      expected: some.map(({ n }) => n),
    }));
    const ranged = fc
      .tuple(place, place)
      .filter(([from, to]) => from < to)
      .map(([from, to]) => ({
        choice: { column: 'DAY', from: values[from] ?? null, to: values[to] ?? null },
        expected: rows.slice(from, to).map(({ n }) => n),
      }));
    const cases = fc.sample(fc.oneof(picked, ranged), { numRuns: 40, seed: 7 });
    for (const { choice } of cases) t.strictSame(choiceFaults(choice, content(type)), [], JSON.stringify(choice));
    const parts = cases.map(({ choice }, at) => {
      const chosen = chosenSql(COMMENTED, choice, content(type));
      return `select ${at} as k, coalesce(list(n order by n), []) as ns from (${chosen})`;
    });
    const sql = `with ${table} select k, cast(ns as varchar) as ns from (${parts.join(' union all ')}) order by k`;
    const found = await selects.rows({ sql, inputs: [], limit: cases.length, maxBytes: 1_000_000 });
    const expected = cases.map((one, at) => [at, `[${one.expected.toSorted((a, b) => a - b).join(', ')}]`]);
    t.strictSame(found.rows, expected, type);
  }
});
