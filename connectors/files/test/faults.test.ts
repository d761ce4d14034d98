import { appendFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { runSource } from '@weir/connector-sdk';
import t from 'tap';
import { filesSource } from '../src/files-source.ts';
import { configured, discover, errorOf, folder, parquet, read, run, statesOf } from './kit.ts';

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
