import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type JsonSchema, parseExact } from '@weir/connector-sdk';
import fc from 'fast-check';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { numeral } from '../src/json-columns.ts';
import { configured, dataOf, discover, folder, parquet, read, run } from './kit.ts';

/** A column of a file: its type there, and its values; `undefined` stands for NULL. */
type Cells = { readonly type: string; readonly values: readonly (string | undefined)[] };
type Made = { readonly rows: number; readonly columns: ReadonlyMap<string, Cells> };

const int = fc.integer({ min: -1_000_000, max: 1_000_000 }).map(String);
const long = fc.bigInt({ min: 2n ** 40n, max: 2n ** 59n }).map(String);
const cents = fc.integer({ min: -99_999, max: 99_999 }).map((value) => (value / 100).toFixed(2));
const half = fc.integer({ min: -5000, max: 5000 }).map((value) => (value + 0.5).toFixed(1));
const day = fc.integer({ min: 0, max: 20_000 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
const word = fc.stringMatching(/^[a-z][a-z ,"']{0,8}[a-z]$/);
/** What a column of a name may be, from file to file. */
const KINDS: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<string>>>>> = {
  n: { INTEGER: int, BIGINT: long },
  'a mix': { INTEGER: int, VARCHAR: word },
  x: { INTEGER: int, DOUBLE: half },
  price: { 'DECIMAL(10,2)': cents, 'DECIMAL(18,2)': cents },
  flag: { BOOLEAN: fc.constantFrom('true', 'false'), VARCHAR: word },
  day: { DATE: day, VARCHAR: word },
};
const cellsOf = (name: string, rows: number): fc.Arbitrary<Cells> =>
  fc
    .constantFrom(...Object.entries(KINDS[name] ?? {}))
    .chain(([type, value]) =>
      fc
        .array(fc.option(value, { nil: undefined, freq: 4 }), { minLength: rows, maxLength: rows })
        .map((values) => ({ type, values })),
    );
const made: fc.Arbitrary<Made> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.shuffledSubarray(Object.keys(KINDS)))
  .chain(([rows, names]) =>
    fc.tuple(...names.map((name) => cellsOf(name, rows))).map((cells) => ({
      rows,
      columns: new Map<string, Cells>([
        ['id', { type: 'INTEGER', values: Array.from({ length: rows }, (_, row) => String(row)) }],
        ...names.map((name, at) => [name, cells[at] as Cells] as const),
      ]),
    })),
  );

const isBare = ({ type }: Cells) => type !== 'VARCHAR' && type !== 'DATE';
const rowsOf = <T>(
  { rows, columns }: Made,
  cell: (value: string | undefined, cells: Cells, name: string) => T,
): T[][] =>
  Array.from({ length: rows }, (_, row) => [...columns].map(([name, cells]) => cell(cells.values[row], cells, name)));
const csvText = (file: Made) => {
  const quoted = (text = '') => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [[...file.columns.keys()], ...rowsOf(file, (value) => value)]
    .map((row) => `${row.map(quoted).join(',')}\n`)
    .join('');
};
const jsonText = (file: Made) =>
  rowsOf(file, (value, cells, name) => {
    const text = value === undefined ? 'null' : isBare(cells) ? value : JSON.stringify(value);
    return `${JSON.stringify(name)}:${text}`;
  })
    .map((row) => `{${row.join(',')}}\n`)
    .join('');
const selectSql = (file: Made) =>
  rowsOf(file, (value, { type }, name) => {
    const literal = value === undefined ? 'NULL' : `'${value.replaceAll("'", "''")}'`;
    return `${literal}::${type} AS "${name}"`;
  })
    .map((row) => `SELECT ${row.join(', ')}`)
    .join(' UNION ALL ');

const FORMATS = {
  csv: {
    write: (path: string, file: Made) => writeFile(path, csvText(file)),
    source: (files: string) =>
      `read_csv(${files}, union_by_name = true, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"')`,
  },
  jsonl: {
    write: (path: string, file: Made) => writeFile(path, jsonText(file)),
    source: (files: string) => `read_json(${files}, union_by_name = true, format = 'newline_delimited')`,
  },
  parquet: {
    write: (path: string, file: Made) => parquet(path, selectSql(file)),
    source: (files: string) => `read_parquet(${files}, union_by_name = true)`,
  },
};

/** What DuckDB makes of the files, each value as text. */
async function reference(connection: DuckDBConnection, source: string): Promise<Record<string, string | null>[]> {
  const types = (await connection.runAndReadAll(`DESCRIBE FROM ${source}`)).getRows();
  const texts = types.map(([name, type]) =>
    type === 'JSON' ? `"${name}"->>'$' AS "${name}"` : `"${name}"::VARCHAR AS "${name}"`,
  );
  const result = await connection.runAndReadAll(`SELECT ${texts.join(', ')} FROM ${source}`);
  return result.getRowObjects() as Record<string, string | null>[];
}

/** A value in its column: numbers of a column of doubles by their value, everything else by its text. */
function inColumn(value: unknown, { weir_type }: JsonSchema): string | number | null {
  if (value === undefined || value === null) return null;
  const text = numeral(value) ?? String(value);
  return weir_type === 'double' ? Number(text) : text;
}

for (const [format, { write, source }] of Object.entries(FORMATS)) {
  t.test(`random ${format} files of one stream → the rows of DuckDB's union_by_name`, async (t) => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 2, maxLength: 3 }), async (files) => {
        const path = await folder();
        const names = files.map((_, index) => join(path, `${index}.${format}`));
        for (const [index, file] of files.entries()) await write(names[index] ?? '', file);
        const config = { path, streams: [{ name: 's', glob: '*' }] };
        const catalog = await discover(config);
        const columns = catalog.streams[0].json_schema.properties as Record<string, JsonSchema>;
        const expected = await reference(connection, source(`[${names.map((name) => `'${name}'`).join(', ')}]`));
        t.strictSame(Object.keys(columns), Object.keys(expected[0] ?? {}));
        const said = await read(config, configured(catalog));
        const found = said.lines
          .map((line) => parseExact(line) as { type: string; record: { data: Record<string, unknown> } })
          .flatMap(({ type, record }) => (type === 'RECORD' ? [record.data] : []));
        const inColumns = (rows: readonly Record<string, unknown>[]) =>
          rows.map((row) => Object.entries(columns).map(([name, schema]) => inColumn(row[name], schema)));
        t.strictSame(inColumns(found), inColumns(expected));
      }),
      { numRuns: inLane('properties') ? 334 : 20 },
    );
    connection.closeSync();
    instance.closeSync();
  });
}

t.test('files of three formats in one stream → one set of columns, and all rows', async (t) => {
  const path = await folder({ '1.csv': 'id,a\n1,\n', '2.jsonl': '{"id":9007199254740993,"b":true,"a":null}\n' });
  await parquet(join(path, '3.parquet'), 'SELECT 3 AS id, 1.5::DOUBLE AS a');
  const config = { path, streams: [{ name: 's', glob: '*' }] };
  const catalog = await discover(config);
  t.match(catalog.streams[0].json_schema.properties, {
    id: { weir_type: 'long' },
    a: { weir_type: 'double' },
    b: { weir_type: 'boolean' },
  });
  const said = await read(config, configured(catalog));
  t.equal(said.code, 0);
  t.strictSame(
    dataOf(said).map(({ a = null, b = null }) => [a, b]),
    [
      [null, null],
      [null, true],
      [1.5, null],
    ],
  );
});

t.test('a later CSV or Parquet file with columns more and less → its rows, new columns typed', async (t) => {
  const path = await folder({ '1.csv': 'id,a\n1,x\n' });
  await parquet(join(path, '1.parquet'), "SELECT 1 AS id, 'x' AS a");
  const config = { path, streams: ['csv', 'parquet'].map((name) => ({ name, glob: `*.${name}` })) };
  const catalog = configured(await discover(config));
  await writeFile(join(path, '2.csv'), 'coupon,id,note\n5,2,"z"\n');
  await parquet(join(path, '2.parquet'), "SELECT 5 AS coupon, 2 AS id, 'z' AS note");
  const said = await read(config, catalog);
  t.equal(said.code, 0);
  const rows = [
    { id: 1, a: 'x' },
    { coupon: 5, id: 2, note: 'z' },
  ];
  t.strictSame(dataOf(said), [...rows, ...rows]);
});

t.test('a column without a value in one file → the type that it has in the others', async (t) => {
  const late = `${'1,\n'.repeat(3000)}2,late\n`;
  const path = await folder({ '1.csv': 'n,s\n,\n', '2.csv': `n,s\n${late}`, '3.csv': 'n,s\n', '4.csv': 'n,t\n4,""\n' });
  const { messages } = await run('discover', { config: { path, streams: [{ name: 's', glob: '*.csv' }] } });
  t.strictSame(messages[0].catalog.streams[0].json_schema.properties, {
    n: { type: ['null', 'integer'], weir_type: 'long' },
    s: { type: ['null', 'string'] },
    t: { type: ['null', 'string'] },
  });
});
