import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { runSource } from '@weir/connector-sdk';
import t from 'tap';
import { CONFIG_SCHEMA } from '../src/config-schema.ts';
import { configured, DEMO, dataOf, discover, folder, parquet, read, source, statesOf } from './kit.ts';

/** More rows than a reading has in hand at a time. */
const MANY = 250_000;

t.test('the pattern file carries the configuration schema of the program', async (t) => {
  const pattern = JSON.parse(await readFile(new URL('../pattern.json', import.meta.url), 'utf8'));
  t.strictSame(pattern.spec, CONFIG_SCHEMA);
  t.match(pattern, { id: 'files', version: '1.7.0', image: 'weir/connector-files:1.7.0', source_name: 'source-files' });
});

t.test('public data arrives whole, as lines', async (t) => {
  const names = ['airports.csv', 'seattle-weather.csv'];
  const path = await folder();
  for (const name of names) await copyFile(join(DEMO, name), join(path, name));
  await parquet(join(path, 'many.parquet'), `SELECT range AS id, md5(range::VARCHAR) AS v FROM range(${MANY})`);
  const config = { path, streams: [...names, 'many.parquet'].map((glob) => ({ name: glob.split('.')[0], glob })) };
  const catalog = await discover(config);
  const said = new PassThrough();
  let newlines = 0;
  said.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) newlines += 1;
  });
  const dir = await folder({ config: JSON.stringify(config), catalog: JSON.stringify(configured(catalog)) });
  const argv = ['read', '--config', join(dir, 'config'), '--catalog', join(dir, 'catalog')];
  t.equal(await runSource(source, argv, { stdout: said, stderr: new PassThrough() }), 0);
  said.end();
  const others = 3 * 5;
  t.equal(newlines - others, MANY + 3_376 + 1_461);
});

t.test('every value of a Parquet file is exact', async (t) => {
  const path = await folder();
  await parquet(
    join(path, 'v.parquet'),
    `SELECT 9223372036854775807 AS l, -9223372036854775808 AS n, 18446744073709551615::UBIGINT AS u,
       12345678901234567890123456789.123456789::DECIMAL(38,9) AS d, 0.1::DOUBLE AS f, 0.1::FLOAT AS g, 'nan'::DOUBLE AS nan,
       TIMESTAMP '2024-02-29 23:59:59.123456' AS ts, TIMESTAMPTZ '2024-02-29 23:59:59.5+02' AS tz, DATE '2024-02-29' AS dt,
       TIME '10:11:12.5' AS tm, true AS b, uuid '00000000-0000-0000-0000-000000000001' AS id, 'ab'::BLOB AS bin,
       'é"\\' || chr(10) || chr(8232) AS s, NULL::INTEGER AS nothing, [1, 2] AS list, {'a': 1} AS struct, '' AS empty,
       TIMESTAMP 'infinity' AS inf, 'x' AS "a b", TIMESTAMPTZ 'infinity' AS tzinf`,
  );
  const said = await read({ path });
  const line = said.lines.find((found) => found.includes('"RECORD"')) ?? '';
  const data = line.slice(line.indexOf('"data":') + 7, line.lastIndexOf(',"emitted_at"'));
  t.equal(
    data,
    '{"l":9223372036854775807,"n":-9223372036854775808,"u":"18446744073709551615","d":"12345678901234567890123456789.123456789",' +
      '"f":0.1,"g":0.1,"nan":"nan","ts":"2024-02-29T23:59:59.123456","tz":"2024-02-29T21:59:59.500000Z","dt":"2024-02-29",' +
      '"tm":"10:11:12.5","b":true,"id":"00000000-0000-0000-0000-000000000001","bin":"YWI=","s":"é\\"\\\\\\n\u2028","nothing":null,' +
      '"list":[1,2],"struct":{"a":1},"empty":"","inf":"infinity","a b":"x","tzinf":"infinity"}',
  );
  t.match((await discover({ path })).streams[0].json_schema.properties, {
    l: { type: ['null', 'integer'], weir_type: 'long' },
    u: { type: ['null', 'string'], weir_type: 'decimal(38, 0)' },
    d: { weir_type: 'decimal(38, 9)' },
    ts: { airbyte_type: 'timestamp_without_timezone', weir_type: 'timestamp' },
    tz: { airbyte_type: 'timestamp_with_timezone', weir_type: 'timestamptz' },
    dt: { format: 'date', weir_type: 'date' },
    tm: { weir_type: 'time' },
    list: { type: ['null', 'array'] },
    bin: { weir_type: 'binary' },
  });
});

t.test('CSV fields are typed by the whole file, and a value that does not fit later passes as text', async (t) => {
  const header = 'i,f,d,t,z,own,b,s\n';
  const path = await folder({
    'a.csv': `${header}9007199254740993,0.10,2024-02-29,2024-02-29 10:00:00,2024-02-29T10:00:00+02:00,31/12/2024,true,"a ""b"", c"\n,,,,,,,\n`,
  });
  const catalog = await discover({ path });
  t.match(await read({ path }, configured(catalog)).then(dataOf), [
    {
      d: '2024-02-29',
      t: '2024-02-29T10:00:00.000000',
      z: '2024-02-29T08:00:00.000000Z',
      b: true,
      s: 'a "b", c',
    },
    { i: null, f: null, d: null, t: null, z: null, own: null, b: null, s: null },
  ]);
  const { lines } = await read({ path }, configured(catalog));
  t.ok(lines.some((line) => line.includes('"i":9007199254740993,"f":0.10,')));

  await writeFile(join(path, 'a.csv'), `${header}007,1e999,yesterday,2024-02-29 10:00:00+02:00,now,x,perhaps,""\n`);
  t.strictSame(dataOf(await read({ path }, configured(catalog))), [
    { i: '007', f: '1e999', d: 'yesterday', t: '2024-02-29 10:00:00+02:00', z: 'now', own: 'x', b: 'perhaps', s: '' },
  ]);
});

t.test('a type that changes in mid-file makes the column text', async (t) => {
  const rows = Array.from({ length: 60_000 }, (_, row) => `${row}\n`).join('');
  const { streams } = await discover({ path: await folder({ 'a.csv': `v\n${rows}abc\n` }) });
  t.strictSame(streams[0].json_schema.properties, { v: { type: ['null', 'string'] } });
});

t.test('a column of integers that no double holds is text, and other numbers stay doubles', async (t) => {
  const rows = 'id,neg,f\n18446744073709551615,-9223372036854775809,1.0e300\n1,2,9007199254740991\n';
  const path = await folder({ 'a.csv': `${rows}1,2,3,canary\n` });
  const catalog = await discover({ path });
  t.strictSame(catalog.streams[0].json_schema.properties, {
    id: { type: ['null', 'string'] },
    neg: { type: ['null', 'string'] },
    f: { type: ['null', 'number'], weir_type: 'double' },
  });
  await writeFile(join(path, 'a.csv'), rows);
  const [first] = dataOf(await read({ path }, configured(catalog)));
  t.strictSame(first, { id: '18446744073709551615', neg: '-9223372036854775809', f: 1e300 });
});

t.test(
  'files of one stream are read together, other delimiters, a byte order mark and odd names included',
  async (t) => {
    const path = await folder({
      'x[1].csv': '\uFEFFa;b\r\n1;2\r\n',
      "x'*?.csv": 'b\ta\n4\t3\n',
      'sub/x.csv': 'a|b\n5|6\n',
    });
    const said = await read({ path, streams: [{ name: 'all', glob: '**/*.csv' }] });
    t.strictSame(
      dataOf(said).map(({ a, b }) => [a, b]),
      [
        [5, 6],
        [3, 4],
        [1, 2],
      ],
    );
    t.strictSame(
      statesOf(said).map((state) => state.sourceStats.recordCount),
      [1, 1, 1],
    );
  },
);
