import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { runSource } from '@weir/connector-sdk';
import { connectorConformance } from '@weir/connector-sdk/testing';
import fc from 'fast-check';
import t from 'tap';
import { CONFIG_SCHEMA } from '../src/config.ts';
import { filesSource } from '../src/files-source.ts';

const DEMO = fileURLToPath(new URL('../data', import.meta.resolve('vega-datasets')));
const PROGRAM = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'files-')));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}

type Said = { code: number; lines: string[]; messages: ReturnType<typeof JSON.parse>[] };
/** Runs one verb of the connector in this process. */
async function run(verb: string, inputs: Readonly<Record<string, unknown>>): Promise<Said> {
  const dir = await folder();
  const argv = [verb];
  for (const [name, value] of Object.entries(inputs)) {
    await writeFile(join(dir, name), JSON.stringify(value));
    argv.push(`--${name}`, join(dir, name));
  }
  const stdout = new PassThrough();
  const said = text(stdout);
  const code = await runSource(filesSource, argv, { stdout, stderr: new PassThrough().resume() });
  stdout.end();
  const lines = (await said).split('\n').filter((line) => line !== '');
  return { code, lines, messages: lines.map((line) => JSON.parse(line)) };
}

async function discover(config: unknown) {
  const { messages } = await run('discover', { config });
  return messages[0]?.catalog ?? messages[0]?.trace.error.internal_message;
}
function configured(catalog: { streams: object[] }, sync_mode = 'incremental') {
  return { streams: catalog.streams.map((stream) => ({ stream, sync_mode, destination_sync_mode: 'append' })) };
}
async function read(config: unknown, catalog?: object, state: readonly unknown[] = []) {
  return run('read', { config, catalog: catalog ?? configured(await discover(config)), state });
}
const dataOf = ({ messages }: Said) => messages.filter((m) => m.type === 'RECORD').map((m) => m.record.data);
const statesOf = ({ messages }: Said) => messages.filter((m) => m.type === 'STATE').map((m) => m.state);
const errorOf = ({ messages }: Said) => messages.find((m) => m.trace?.type === 'ERROR')?.trace.error;

/** Writes the result of a query as a Parquet file. */
async function parquet(path: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
}

const conforming = await folder({ 'a.csv': 'id,name\n1,x\n2,y\n', 'b.csv': 'v\n1.5\n' });
for (const { name, run: check } of connectorConformance({
  command: [process.execPath, '--conditions=@weir/source', PROGRAM],
  config: { path: conforming },
  badConfig: { path: join(conforming, 'nowhere') },
})) {
  t.test(name, check);
}

t.test('the pattern file carries the configuration schema of the program', async (t) => {
  const pattern = JSON.parse(await readFile(new URL('../pattern.json', import.meta.url), 'utf8'));
  t.strictSame(pattern.spec, CONFIG_SCHEMA);
  t.match(pattern, { id: 'files', version: '1.0.0', image: 'weir/connector-files:1.0.0', source_name: 'source-files' });
});

t.test('the public demo data arrives whole', async (t) => {
  const names = ['flights-3m.parquet', 'airports.csv', 'seattle-weather.csv'];
  const config = { path: DEMO, streams: names.map((glob) => ({ name: glob.split('.')[0], glob })) };
  const catalog = await discover(config);
  const said = new PassThrough();
  let newlines = 0;
  said.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) newlines += 1;
  });
  const dir = await folder({ config: JSON.stringify(config), catalog: JSON.stringify(configured(catalog)) });
  const argv = ['read', '--config', join(dir, 'config'), '--catalog', join(dir, 'catalog')];
  t.equal(await runSource(filesSource, argv, { stdout: said, stderr: new PassThrough() }), 0);
  said.end();
  const others = 3 * 4;
  t.equal(newlines - others, 3_000_000 + 3_376 + 1_461);
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
  const rows = 'id,neg,f\n18446744073709551615,-9223372036854775809,1e300\n1,2,9007199254740991\n';
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

const wide = (row: string) => `a,b\n1,2\n3,4\n${row}5,6\n`;
const many = Array.from({ length: 5000 }, (_, row) => `${row},x\n`).join('');
const CSV_FAULTS: readonly [rule: string, content: string | Uint8Array, code: string][] = [
  ['too many fields in a row', wide('canary,2,3\n'), 'csv_row_too_wide'],
  ['too many fields in a late row', `a,b\n${many}canary,2,3\n${many}`, 'csv_row_too_wide'],
  ['too many fields in the last row', `a,b\n${many}canary,2,3\n`, 'csv_row_too_wide'],
  ['too few fields in a row', wide('canary\n'), 'csv_row_too_short'],
  ['columns that change in mid-file', `a,b\n${many}canary,b,c\n1,2,3\n1,2,3\n`, 'schema_changed_in_file'],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from('a,b\ncanary,'), Buffer.from([0xff, 0xfe]), Buffer.from('\n')]),
    'encoding_invalid',
  ],
  ['a quote that is never closed', 'a,b\n1,"canary\n2,3\n', 'csv_quote_unclosed'],
  ['other columns', 'a,c\n1,canary\n', 'schema_changed'],
  ['one column more', 'a,b,c\n1,2,canary\n', 'schema_changed'],
  ['a row of 40 MB', `a,b\ncanary,${'x'.repeat(40 << 20)}\n1,2\n`, 'csv_row_too_long'],
  ['no content', '', 'csv_header_missing'],
];
for (const [rule, content, code] of CSV_FAULTS) {
  t.test(`a CSV file with ${rule} fails its stream by ${code} and keeps the whole files before it`, async (t) => {
    const path = await folder({ '1.csv': 'a,b\n1,2\n' });
    const config = { path, streams: [{ name: 's', glob: '*.csv' }] };
    const catalog = configured(await discover(config));
    await writeFile(join(path, '2.csv'), content);
    const said = await read(config, catalog);
    t.equal(said.code, 1);
    t.match(errorOf(said), { internal_message: code, hint: /\S/, origin: 'source', stream_descriptor: { name: 's' } });
    t.match(statesOf(said), [{ stream: { stream_state: { files: { '1.csv': { size: 8 } } } } }]);
    t.equal(statesOf(said).length, 1);
    const reported = said.messages.filter((message) => message.type !== 'RECORD');
    t.notMatch(JSON.stringify(reported), /canary/);
  });
}

t.test('a broken row does not keep a file from being discovered', async (t) => {
  const path = await folder({ 'a.csv': wide('x,2,3\n') });
  t.match((await discover({ path })).streams[0].json_schema.properties, { a: {}, b: { weir_type: 'long' } });
});

t.test('a Parquet file that is cut short or damaged fails by parquet_truncated', async (t) => {
  const path = await folder();
  const file = join(path, 'a.parquet');
  await parquet(file, 'SELECT range AS v, hash(range) AS h FROM range(200000)');
  const catalog = configured(await discover({ path }));
  const whole = await readFile(file);
  const damaged = Buffer.from(whole);
  damaged.fill(7, 1000, whole.length / 2);
  for (const content of [whole.subarray(0, whole.length / 2), whole.subarray(0, 6), Buffer.alloc(0), damaged]) {
    await writeFile(file, content);
    const said = await read({ path }, catalog);
    t.equal(said.code, 1);
    t.match(errorOf(said), { internal_message: 'parquet_truncated' });
    t.equal(statesOf(said).length, 0);
  }
});

t.test('a decimal of more than 38 digits is refused, as DuckDB misreads it', async (t) => {
  // One column decimal(39, 0) with the value 1, as Apache Arrow writes it.
  const content = Buffer.from(
    'UEFSMRUAFS4VLiwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAAAAAAAAAAAAARUEGSw1ABgGc2NoZW1hFQIAFQ4VIhUCGAFk' +
      'JQoVABVOLFwVABVOAAAAFgIZHBkcJgAcFQ4ZJQYAGRgBZBUAFgIWVBZUJghJHBUAFQAVAgA8KQYZJgACAAAAFlQWAiYIFlQA' +
      'KCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRkcHAAAAIoAAABQQVIx',
    'base64',
  );
  t.equal(await discover({ path: await folder({ 'a.parquet': content }) }), 'decimal_too_long');
});

t.test('a Parquet file with another type or column than the stream is refused, a narrower type is not', async (t) => {
  const path = await folder();
  const file = join(path, 'a.parquet');
  await parquet(file, 'SELECT 1::BIGINT AS v');
  const catalog = configured(await discover({ path }));
  for (const [sql, code] of [
    ["SELECT 'x' AS v", 'schema_changed'],
    ['SELECT 1::BIGINT AS v, 2 AS w', 'schema_changed'],
    ['SELECT 1::INTEGER AS v', undefined],
  ] as const) {
    await parquet(file, sql);
    t.equal(errorOf(await read({ path }, catalog))?.internal_message, code, sql);
  }
});

t.test('files of one stream with different columns are refused by discovery', async (t) => {
  const path = await folder({ '1.csv': 'a\n1\n', '2.csv': 'b\n1\n' });
  t.equal(await discover({ path, streams: [{ name: 's', glob: '*.csv' }] }), 'schema_mismatch');
});

t.test('nothing outside of the folder is read', async (t) => {
  const outside = await folder({ 'secret.csv': 'a\n1\n', 'deep/x.csv': 'a\n1\n' });
  const path = await folder({ 'in.csv': 'a\n1\n' });
  await symlink(join(outside, 'secret.csv'), join(path, 'link.csv'));
  await symlink(join(outside, 'deep'), join(path, 'way'));
  for (const glob of [
    '../*.csv',
    '*/../../x.csv',
    `${outside}/*.csv`,
    '{..,x}/*.csv',
    'link.csv',
    '*.csv',
    '**/*.csv',
    'way/*.csv',
  ]) {
    t.equal(await discover({ path, glob }), 'path_outside_folder', glob);
  }
  t.match(await discover({ path, glob: 'in.csv' }), { streams: [{ name: 'in' }] });
});

t.test('a configuration is refused by its code and never quoted', async (t) => {
  const path = await folder({ 'a.csv': 'a\n1\n', 'b.csv': 'a\n1\n', 'b.parquet': '' });
  const one = { name: 'canary', glob: 'a.csv' };
  for (const [config, code] of [
    [{}, 'config_invalid'],
    [{ path, canary: 1 }, 'config_invalid'],
    [{ path: 7 }, 'config_invalid'],
    [{ path, streams: [] }, 'config_invalid'],
    [{ path, streams: [{ ...one, format: 'canary' }] }, 'config_invalid'],
    [{ path, streams: [one, one] }, 'stream_name_taken'],
    [{ path, glob: 'b.*' }, 'stream_name_taken'],
    [{ path, glob: 'canary*' }, 'no_files_matched'],
    [{ path: 'canary' }, 'folder_unreadable'],
    [{ path: join(path, 'canary') }, 'folder_unreadable'],
    [{ path: join(path, 'a.csv') }, 'folder_unreadable'],
  ] as const) {
    const said = await run('discover', { config });
    t.match(errorOf(said), { internal_message: code, failure_type: 'config_error', origin: 'config' });
    t.notMatch(JSON.stringify(said.messages), /canary/);
  }
});

t.test('a file that is written to while it is read is not taken for whole', async (t) => {
  const path = await folder();
  await parquet(join(path, 'b.parquet'), 'SELECT range AS v FROM range(3000000)');
  const config = { path, glob: 'b.parquet' };
  const catalog = configured(await discover(config));
  const dir = await folder({ config: JSON.stringify(config), catalog: JSON.stringify(catalog) });
  const stdout = new PassThrough();
  let said = '';
  let touched = false;
  stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('"TRACE"') || chunk.includes('"STATE"')) said += chunk.toString();
    else if (!touched) appendFileSync(join(path, 'b.parquet'), 'x');
    touched ||= chunk.includes('"RECORD"');
  });
  const argv = ['read', '--config', join(dir, 'config'), '--catalog', join(dir, 'catalog')];
  const ended = runSource(filesSource, argv, { stdout, stderr: new PassThrough() });
  t.equal(await ended, 1);
  t.match(said, /"internal_message":"file_changed","failure_type":"transient_error"/);
  t.notMatch(said, /"STATE"/);
});

const NAMES = ['a.csv', 'b.csv', 'c.csv'];
const change = fc.record({ name: fc.constantFrom(...NAMES), rows: fc.integer({ min: 0, max: 3 }), gone: fc.boolean() });
t.test('an incremental read gives the rows of exactly the files that were added or changed', async (t) => {
  const path = await folder();
  const config = { path, streams: [{ name: 's', glob: '*.csv' }] };
  const catalog = configured({
    streams: [{ name: 's', json_schema: { type: 'object', properties: { v: { type: ['null', 'string'] } } } }],
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 4 }), async (rounds) => {
      for (const name of NAMES) await rm(join(path, name), { force: true });
      await writeFile(join(path, 'always.csv'), 'v\n');
      let state: unknown[] = [];
      let stamp = 0;
      const now = new Map<string, string[]>([['always.csv', []]]);
      const seen = new Map<string, string>();
      for (const round of [[], ...rounds]) {
        for (const { name, rows, gone } of round) {
          if (gone) {
            await rm(join(path, name), { force: true });
            now.delete(name);
            continue;
          }
          stamp += 1;
          const values = Array.from({ length: rows }, (_, row) => `${stamp}-${row}`);
          await writeFile(join(path, name), `v\n${values.map((value) => `${value}\n`).join('')}`);
          now.set(name, values);
        }
        const digest = (values: readonly string[]) => createHash('sha256').update(values.join()).digest('hex');
        const changed = [...now].filter(([name, values]) => seen.get(name) !== digest(values));
        const said = await read(config, catalog, state);
        t.equal(said.code, 0);
        t.strictSame(
          dataOf(said)
            .map(({ v }) => v)
            .sort(),
          changed.flatMap(([, values]) => values).sort(),
        );
        state = statesOf(said).length === 0 ? state : statesOf(said).slice(-1);
        seen.clear();
        for (const [name, values] of now) seen.set(name, digest(values));
      }
      t.strictSame(statesOf(await read(config, catalog, state)), []);
      await truncate(join(path, 'always.csv'), 2);
    }),
    { numRuns: 12 },
  );
});
