import { appendFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { runSource } from '@weir/connector-sdk';
import t from 'tap';
import { withDuckdb } from '../src/duckdb-session.ts';
import { streamLines } from '../src/stream-lines.ts';
import { configured, discover, errorOf, folder, parquet, read, run, source, statesOf } from './kit.ts';

const wide = (row: string) => `a,b\n1,2\n3,4\n${row}5,6\n`;
const CSV_FAULTS: readonly [rule: string, content: string | Uint8Array, code: string][] = [
  [
    'columns that change for good',
    `a,b\n${'1,2\n'.repeat(5000)}canary,b,c\n${'1,2,3\n'.repeat(999)}`,
    'schema_changed_in_file',
  ],
  ['more rows of another width', 'a,b\n1,2\ncanary,b,c\n1,2,3\n', 'schema_changed_in_file'],
  ['rows that are all cut', 'a,b,c\ncanary,2\n3,4\n', 'schema_changed_in_file'],
  ['a header that is no text', Buffer.from('canary \xff,b\n1,\xc3\xa9\n', 'latin1'), 'encoding_invalid'],
  ['bytes that are no text', Buffer.from('a,b\ncanary,\x00\x90\n', 'latin1'), 'encoding_invalid'],
  ['UTF-16 that nothing marks', Buffer.from('a,b\ncanary,2\n', 'utf16le'), 'encoding_invalid'],
  ['a surrogate alone in UTF-16', Buffer.from('\uFEFFa,b\ncanary,\ud800\n', 'utf16le'), 'encoding_invalid'],
  ['more columns than are read', `${'canary,'.repeat(10_000)}b\n`, 'too_many_columns'],
  ['no column of the stream', 'c,d\n1,canary\n', 'schema_changed'],
  ['no header', '\n1,2\n', 'csv_header_missing'],
  ['a header with an open quote', 'a,"canary\n1,2\n3,4\n', 'csv_quote_unclosed'],
  ['a web page in it', '<!DOCTYPE html>\n<html><body>Sign in, canary</body></html>\n', 'file_is_page'],
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

const whole = '{"a":1}\n';
const JSON_FAULTS: readonly [rule: string, name: string, content: string | Uint8Array, code: string, line: number][] = [
  ['bytes that are no text', '2.jsonl', Buffer.from('{"a":"canary\x81\0"}\n', 'latin1'), 'encoding_invalid', 0],
  ['a document that is cut', '2.json', '[\n{"a":"canary"', 'json_truncated', 2],
  ['a web page in it', '2.jsonl', ' <html lang="en">\n<p>canary\n', 'file_is_page', 0],
  ['a list that is cut', '2.json', '[', 'json_truncated', 1],
  ['nothing in it', '2.json', ' \n', 'json_truncated', 1],
  ['a broken document', '2.json', '[\n{"a":canary}]', 'json_invalid', 2],
  ['a line break in a text', '2.json', '[\n{"a":"canary\n"}]', 'json_invalid', 2],
  ['braces that do not match', '2.json', '[{"a":[1}]}', 'json_invalid', 1],
  ['words', '2.json', 'canary', 'json_invalid', 1],
  ['a list of numbers', '2.json', '[\n1]', 'json_not_object', 2],
  ['a list of lists', '2.json', '[[{"canary":1}]]', 'json_not_object', 1],
  ['a text', '2.json', '"canary"', 'json_not_object', 1],
  ['a document that is far too long', '2.json', `[{"a":"canary${'x'.repeat(17 << 20)}"}]`, 'json_row_too_long', 1],
];
for (const [rule, name, content, code, line] of JSON_FAULTS) {
  t.test(
    `a ${name.slice(2)} file with ${rule} fails its stream by ${code} and keeps the whole files before it`,
    async (t) => {
      const format = name.slice(2);
      const path = await folder({ [`1.${format}`]: whole });
      const config = { path, streams: [{ name: 's', glob: `*.${format}` }] };
      const catalog = configured(await discover(config));
      await writeFile(join(path, name), content);
      const said = await read(config, catalog);
      t.equal(said.code, 1);
      const place = line === 0 ? name : `${name}, line ${line}`;
      t.match(errorOf(said), { internal_message: code, hint: new RegExp(`^${place}: .`), origin: 'source' });
      t.strictSame(
        statesOf(said).map((state) => Object.keys(state.stream.stream_state.files)),
        [[`1.${format}`]],
      );
      const reported = said.messages.filter((message) => message.type !== 'RECORD');
      t.notMatch(JSON.stringify(reported), /canary/);
    },
  );
}

const ALONE: readonly [line: string, code: string][] = [
  ['{"a":1} canary', 'json_invalid'],
  ['["canary"]', 'json_not_object'],
  [`{"canary":${'['.repeat(300)}${']'.repeat(300)}}`, 'json_too_deep'],
  [`{"a":"canary\u00e9${'x'.repeat(17 << 20)}"}`, 'json_row_too_long'],
  ['{"a":"\\ud800"}', 'encoding_invalid'],
];
t.test('a JSONL file without any document is not discovered, and the code says why', async (t) => {
  const path = await folder();
  for (const [line, code] of ALONE) {
    await writeFile(join(path, 's.jsonl'), `${line}\n`);
    t.equal(await discover({ path }), code);
  }
});

const zeros = (count: number) => Buffer.alloc(count);
const rows = Buffer.from(`a\n${'canary\n'.repeat(100_000)}`);
const PACKING_FAULTS: readonly [rule: string, name: string, content: Uint8Array, code: string][] = [
  ['cut short', 'a.csv.gz', gzipSync(rows).subarray(0, 200), 'packing_damaged'],
  ['cut by a byte', 'a.csv.gz', gzipSync(rows).subarray(0, -1), 'packing_damaged'],
  ['damaged', 'a.csv.gz', gzipSync(rows).fill(7, 100, 150), 'packing_damaged'],
  ['not packed', 'a.csv.gz', rows, 'packing_damaged'],
  ['empty', 'a.csv.gz', zeros(0), 'packing_damaged'],
  ['followed by something else', 'a.csv.gz', Buffer.concat([gzipSync(rows), rows]), 'packing_damaged'],
  ['cut short', 'a.csv.zst', zstdCompressSync(rows).subarray(0, 30), 'packing_damaged'],
  ['cut by a byte', 'a.csv.zst', zstdCompressSync(rows).subarray(0, -1), 'packing_damaged'],
  ['not packed', 'a.csv.zst', rows, 'packing_damaged'],
  ['empty', 'a.csv.zst', zeros(0), 'packing_damaged'],
  ['followed by something else', 'a.csv.zst', Buffer.concat([zstdCompressSync(rows), rows]), 'packing_damaged'],
  ['a bomb', 'a.csv.gz', gzipSync(zeros(40 << 20)), 'unpacked_too_large'],
  ['a bomb', 'a.jsonl.zst', zstdCompressSync(zeros(40 << 20)), 'unpacked_too_large'],
  [
    'a bomb of many small ones',
    'a.json.zst',
    Buffer.concat(Array.from({ length: 40 }, () => zstdCompressSync(zeros(1 << 20)))),
    'unpacked_too_large',
  ],
];
for (const [rule, name, content, code] of PACKING_FAULTS) {
  t.test(`a ${name.slice(2)} file that is ${rule} is ${code}`, async (t) => {
    const said = await run('discover', { config: { path: await folder({ [name]: content }) } });
    t.match(errorOf(said), { internal_message: code, hint: new RegExp(`^${name}: .`), origin: 'source' });
    t.notMatch(JSON.stringify(said.messages), /canary/);
  });
}

const WHERE = {
  text: { path: '', from: 0, to: 0, isExact: true },
  holdBack: () => undefined,
  where: () => 'a.csv',
};

t.test('a CSV file that cannot be made out is csv_invalid, one that is not there file_unreadable', async (t) => {
  const path = join(await folder({ 'a.csv': 'a\n1\n' }), 'a.csv');
  const file = { path, format: 'csv', delimiter: undefined, isEven: false, isRest: false, ...WHERE } as const;
  for (const [sql, code] of [
    // Options that do not go together stand for a file that DuckDB can make nothing of.
    [`FROM read_csv('${path}', delim = '"', quote = '"')`, 'csv_invalid'],
    [`FROM read_csv('${path}.canary')`, 'file_unreadable'],
  ] as const) {
    const reading = withDuckdb(file, (connection) => connection.runAndReadAll(sql));
    await t.rejects(reading, { code, hint: /^a\.csv: / });
  }
});

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

t.test('a Parquet file that is whole, of a codec that is not read → parquet_unsupported', async (t) => {
  const path = await folder();
  const file = join(path, 'a.parquet');
  await parquet(file, 'SELECT range AS v FROM range(10)', ', COMPRESSION snappy');
  const catalog = configured(await discover({ path }));
  const content = await readFile(file);
  // In the footer the codec stands between the name of the column and the number of its values.
  const codec = content.lastIndexOf(Buffer.from([0x01, 0x76, 0x15, 0x02, 0x16]));
  content[codec + 3] = 0x0a;
  await writeFile(file, content);
  t.match(errorOf(await read({ path }, catalog)), { internal_message: 'parquet_unsupported', hint: /^a\.parquet: / });
});

t.test('a Parquet file that is damaged far behind the rows that are sent first does not end well', async (t) => {
  const path = await folder();
  const file = join(path, 'a.parquet');
  await parquet(file, 'SELECT range AS v, md5(range::VARCHAR) AS h FROM range(400_000)');
  const catalog = configured(await discover({ path }));
  const content = await readFile(file);
  await writeFile(file, content.fill(7, Math.floor(content.length * 0.9), Math.floor(content.length * 0.95)));
  const said = await read({ path }, catalog);
  t.equal(said.code, 1);
  t.match(errorOf(said), { internal_message: 'parquet_truncated' });
  t.equal(statesOf(said).length, 0);
  t.match(said.lines[2], /"RECORD"/, 'rows were sent before');
});

t.test('a query that is stopped while its next lines are made does not end well', async (t) => {
  const path = join(await folder({ 'a.csv': '' }), 'a.csv');
  const file = { path, format: 'csv', delimiter: undefined, isEven: false, isRest: false, ...WHERE } as const;
  const stop = new AbortController();
  const sql = "SELECT concat('a long line ', range) FROM range(100_000_000)";
  const late = async () => void setImmediate(() => stop.abort());
  const reading = withDuckdb(file, (connection) => streamLines(connection, sql, late, stop.signal));
  await t.rejects(reading, { name: 'AbortError' });
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

t.test(
  'a Parquet file with a wider type than the stream is refused, a narrower type or a new column is not',
  async (t) => {
    const path = await folder();
    const file = join(path, 'a.parquet');
    await parquet(file, 'SELECT 1::BIGINT AS v');
    const catalog = configured(await discover({ path }));
    for (const [sql, code] of [
      ["SELECT 'x' AS v", 'schema_changed'],
      ['SELECT 1::BIGINT AS v, 2 AS w', undefined],
      ['SELECT 2 AS w', 'schema_changed'],
      ['SELECT 1::INTEGER AS v', undefined],
    ] as const) {
      await parquet(file, sql);
      t.equal(errorOf(await read({ path }, catalog))?.internal_message, code, sql);
    }
  },
);

t.test('a stream that cannot be described is named in the catalog and the log, and the others are found', async (t) => {
  const path = await folder({ 'bad.csv': '\ncanary\n', 'good.csv': 'a\n1\n', 'off.parquet': 'canary' });
  const { code, messages } = await run('discover', { config: { path } });
  t.equal(code, 0);
  t.strictSame(
    messages.at(-1).catalog.streams.map(({ name }: { name: string }) => name),
    ['good'],
  );
  t.match(messages.at(-1).catalog.undescribed, [
    { name: 'bad', code: 'csv_header_missing', message: /no header/, hint: /^bad\.csv: / },
    { name: 'off', code: 'parquet_truncated', message: /cut short/, hint: /^off\.parquet: / },
  ]);
  t.match(messages.slice(0, -1), [
    { type: 'LOG', log: { level: 'WARN', message: /^The stream bad .*\(csv_header_missing\).*bad\.csv: / } },
    { type: 'LOG', log: { level: 'WARN', message: /^The stream off .*\(parquet_truncated\).*off\.parquet: / } },
  ]);
  t.equal(messages.length, 3);
  t.notMatch(JSON.stringify(messages), /canary/);
});

t.test(
  'of a stream of several files, those that cannot be described are named, and the others describe it',
  async (t) => {
    const streams = [{ name: 'all', glob: '*' }];
    const path = await folder({ 'a.csv': 'id\n1\n', 'b.parquet': 'PAR1', 'c.csv': '\n', 'd.json': '[{"n":1}]' });
    const { messages } = await run('discover', { config: { path, streams } });
    const { catalog } = messages.at(-1);
    t.strictSame(Object.keys(catalog.streams[0].json_schema.properties), ['id', 'n']);
    t.match(catalog.undescribed, [
      { name: 'b.parquet', code: 'parquet_truncated' },
      { name: 'c.csv', code: 'csv_header_missing' },
    ]);
    t.equal(catalog.undescribed.length, 2);
    const none = await folder({ 'a.csv': '', 'b.parquet': 'PAR1' });
    t.equal(await discover({ path: none, streams }), 'parquet_truncated', 'nothing describes it');
  },
);

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
    [{ path, url: 'http://canary.test/' }, 'config_invalid'],
    [{ urls: [] }, 'config_invalid'],
    [{ url: '' }, 'config_invalid'],
    [{ path, encoding: 'canary' }, 'config_invalid'],
    [{ path, delimiter: '/' }, 'config_invalid'],
    [{ path, format: 'canary' }, 'config_invalid'],
    [{ url: 'canary' }, 'address_invalid'],
    [{ urls: ['http://127.0.0.1/a.csv', 'http://[canary]/'] }, 'address_invalid'],
    [{ path, streams: [one, one] }, 'stream_names_alike'],
    [{ path, glob: 'b.*' }, 'stream_names_alike'],
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
  await parquet(join(path, 'b.parquet'), 'SELECT range AS v FROM range(300_000)');
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
  const ended = runSource(source, argv, { stdout, stderr: new PassThrough() });
  t.equal(await ended, 1);
  t.match(said, /"internal_message":"file_changed","failure_type":"transient_error"/);
  t.notMatch(said, /"STATE"/);
});
