import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { discover, errorOf, folder, run } from './kit.ts';
import { type Staged, staged } from './staged.ts';

const CASES = fileURLToPath(new URL('cases', import.meta.url));

/** What a small file of other people becomes in a table: each column's type, the rows, and the columns that are marked. */
type Case = {
  readonly file: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** In the order of the columns. */
  readonly types: readonly (readonly [name: string, type: string])[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly marked?: readonly string[];
  readonly rejected?: number;
};

const RIGHT: readonly Case[] = [
  {
    file: 'blank_after_comma.csv',
    types: [
      ['id', 'long'],
      ['qty', 'long'],
      ['name', 'string'],
    ],
    rows: [
      ['1', '10', ' ada'],
      ['2', '20', ' bob'],
    ],
  },
  {
    file: 'blank_padded_numbers.csv',
    types: [
      ['id', 'long'],
      ['qty', 'long'],
    ],
    rows: [
      ['1', '12'],
      ['2', '7'],
      ['3', '100'],
    ],
  },
  {
    file: 'hex_column.csv',
    types: [
      ['id', 'long'],
      ['h', 'string'],
    ],
    rows: [
      ['1', '0x1A'],
      ['2', '0xFF'],
    ],
  },
  {
    file: 'padded_dates.csv',
    types: [
      ['id', 'long'],
      ['d', 'date'],
    ],
    rows: [
      ['1', '2000-01-01'],
      ['2', '2002-02-02'],
    ],
  },
  {
    file: 'ambiguous_dates.csv',
    types: [
      ['id', 'long'],
      ['d', 'string'],
    ],
    rows: [
      ['1', '01/02/2021'],
      ['2', '03/04/2021'],
    ],
  },
  {
    file: 'ambiguous_then_clear_*.csv',
    types: [
      ['id', 'long'],
      ['d', 'date'],
    ],
    rows: [
      ['1', '2021-01-02'],
      ['2', '2021-03-04'],
      ['3', '2021-12-25'],
      ['4', '2021-05-06'],
    ],
  },
  {
    file: 'money_18_digits.csv',
    types: [
      ['id', 'long'],
      ['amount', 'decimal(18, 2)'],
    ],
    rows: [
      ['1', '1234567890123456.78'],
      ['2', '99999999999999.99'],
      ['3', '0.10'],
    ],
  },
  {
    file: 'decimal_30_digits.csv',
    types: [
      ['id', 'long'],
      ['x', 'decimal(31, 30)'],
    ],
    rows: [
      ['1', '0.123456789012345678901234567890'],
      ['2', '1.500000000000000000000000000000'],
    ],
  },
  {
    file: 'money_18_digits.json',
    types: [
      ['id', 'long'],
      ['m', 'decimal(18, 2)'],
      ['d', 'decimal(20, 19)'],
    ],
    rows: [
      ['1', '1234567890123456.78', '0.1234567890123456789'],
      ['2', '2.00', '1.0000000000000000000'],
    ],
  },
  {
    file: 'nanoseconds.csv',
    types: [
      ['id', 'long'],
      ['t', 'timestamp'],
    ],
    rows: [
      ['1', '2024-01-01 00:00:00.123456'],
      ['2', '2024-01-01 00:00:00.999999'],
    ],
    marked: ['t'],
  },
  {
    file: 'zone_mix.csv',
    types: [
      ['id', 'long'],
      ['t', 'string'],
    ],
    rows: [
      ['1', '2024-01-01 10:00:00'],
      ['2', '2024-01-01T10:00:00Z'],
    ],
  },
  {
    file: 'yes_no.csv',
    types: [
      ['id', 'long'],
      ['smoker', 'string'],
    ],
    rows: [
      ['1', 'Yes'],
      ['2', 'No'],
    ],
  },
  {
    file: 'codes_like_exponents.csv',
    types: [
      ['id', 'long'],
      ['sku', 'string'],
    ],
    rows: [
      ['1', '1E5'],
      ['2', '2E3'],
      ['3', '3E10'],
    ],
  },
  {
    file: 'integer_headers.csv',
    types: [
      ['country', 'string'],
      ['2020', 'long'],
      ['2019', 'long'],
      ['2018', 'long'],
    ],
    rows: [['DE', '3', '2', '1']],
  },
  {
    file: 'no_header.csv',
    config: { header: false },
    types: [
      ['column_1', 'long'],
      ['column_2', 'string'],
      ['column_3', 'double'],
    ],
    rows: [
      ['1', 'ada', '10.5'],
      ['2', 'bob', '20.5'],
      ['3', 'cyd', '30.0'],
    ],
  },
  {
    file: 'one_wide_row.csv',
    types: [
      ['id', 'long'],
      ['n', 'string'],
    ],
    rows: [
      ['1', 'a'],
      ['3', 'c'],
    ],
    rejected: 1,
  },
  {
    file: 'footer.csv',
    types: [
      ['id', 'long'],
      ['amount', 'long'],
    ],
    rows: [
      ['1', '10'],
      ['2', '20'],
    ],
    rejected: 1,
  },
  {
    file: 'title_line.csv',
    config: { skip_lines: 1 },
    types: [
      ['id', 'long'],
      ['amount', 'long'],
    ],
    rows: [
      ['1', '10'],
      ['2', '20'],
    ],
  },
  {
    file: 'tabs.tsv',
    types: [
      ['id', 'long'],
      ['n', 'string'],
    ],
    rows: [['1', 'a']],
  },
  {
    file: 'plain.txt',
    config: { format: 'csv' },
    types: [
      ['id', 'long'],
      ['n', 'string'],
    ],
    rows: [['1', 'a']],
  },
  ...['csv', 'jsonl'].map(
    (format): Case => ({
      file: `bad_byte_beside_utf8.${format}`,
      types: [
        ['k', 'long'],
        ['s', 'string'],
      ],
      rows: [
        ['1', 'été'],
        ['3', 'ok'],
      ],
      rejected: 1,
    }),
  ),
  { file: 'duplicate_members.jsonl', types: [['a', 'long']], rows: [['3']], rejected: 1 },
  { file: 'commented_last_line.jsonl', types: [['a', 'long']], rows: [['1']], rejected: 1 },
];

const cellsOf = ({ rows }: Staged) => rows.map(({ values }) => [...values.values()]);

for (const { file, config, types, rows, marked = [], rejected = 0 } of RIGHT) {
  t.test(`${file} → its right values`, async (t) => {
    const found = await staged({ path: CASES, streams: [{ name: 's', glob: file, ...config }] });
    t.strictSame([...found.types], types);
    t.strictSame(cellsOf(found), rows);
    for (const row of found.rows) t.strictSame([...row.marked], marked);
    t.equal(found.rejected, rejected);
  });
}

t.test('a file of dates whose order is open, and a later one that decides it → all are texts', async (t) => {
  const path = await folder();
  const config = { path, streams: [{ name: 's', glob: '*.csv' }] };
  await copyFile(join(CASES, 'ambiguous_then_clear_1.csv'), join(path, '1.csv'));
  const catalog = await discover(config);
  await copyFile(join(CASES, 'ambiguous_then_clear_2.csv'), join(path, '2.csv'));
  const found = await staged(config, catalog);
  t.strictSame(
    cellsOf(found).map(([, day]) => day),
    ['01/02/2021', '03/04/2021', '12/25/2021', '05/06/2021'],
  );
});

t.test('what cannot be read as it is → a refusal that names what to do', async (t) => {
  const refused = async (file: string, config = {}) =>
    run('discover', { config: { path: CASES, streams: [{ name: 's', glob: file, ...config }] } });
  t.match(errorOf(await refused('title_line.csv')), { internal_message: 'schema_changed_in_file', hint: /skip_lines/ });
  t.match(errorOf(await refused('nul_in_header.csv')), { internal_message: 'csv_header_invalid' });
  const open = (await refused('ambiguous_dates.csv')).messages.find(({ type }) => type === 'LOG')?.log;
  t.match(open, { level: 'WARN', message: /^s: d: .*stay text$/ });
  const { messages } = await refused('no_header.csv');
  t.match(messages.find(({ type }) => type === 'LOG')?.log, { level: 'WARN', message: /header: false/ });
});
