import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { MAX_SEGMENT_BYTES, runSource, SEGMENT_OFFER } from '@weir/connector-sdk';
import { connectorConformance } from '@weir/connector-sdk/testing';
import fc from 'fast-check';
import t from 'tap';
import { planSlices } from '../src/parquet-slices.ts';
import {
  configured,
  dataOf,
  discover,
  folder,
  ownTemporaryFolder,
  PROGRAM,
  parquet,
  read,
  rejectedOf,
  source,
  statesOf,
} from './kit.ts';

/** Reads with the offer of segments; takes each away as it comes and keeps it for `rows`. */
async function readSegments(config: unknown, catalog?: object) {
  const place = await folder();
  const inputs = await folder({
    config: JSON.stringify(config),
    catalog: JSON.stringify(catalog ?? configured(await discover(config))),
  });
  const stdout = new PassThrough();
  const env = { [SEGMENT_OFFER.channelVariable]: SEGMENT_OFFER.channel, [SEGMENT_OFFER.folderVariable]: place };
  const argv = ['read', '--config', join(inputs, 'config'), '--catalog', join(inputs, 'catalog')];
  const kept = await folder();

  const messages: ReturnType<typeof JSON.parse>[] = [];
  let rest = '';
  stdout.on('data', (chunk: Buffer) => {
    const said = (rest + chunk.toString()).split('\n');
    rest = said.pop() ?? '';
    for (const message of said.map((line) => JSON.parse(line))) {
      messages.push(message);
      if (message.type === 'SEGMENT') renameSync(join(place, message.segment.file), join(kept, message.segment.file));
    }
  });
  const code = await runSource(source, argv, { stdout, stderr: new PassThrough().resume(), env });
  assert.deepEqual(await readdir(place), []);
  const segments = messages.filter(({ type }) => type === 'SEGMENT').map(({ segment }) => segment);
  return { code, messages, lines: [], segments, kept };
}

async function query(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
/** Rows that are hard to pack, so that a little of them is a large file: a kibibyte each. */
const NOISE = `range AS id, md5(range::VARCHAR) AS a, ${Array.from({ length: 16 }, (_, at) => `sha256(concat(range, ' ${at}'))`).join(' || ')} AS b`;
/** More than fits into one segment. */
const BIG_ROWS = 70_000;
/** A little more than a file must have to go in segments: a mebibyte of Parquet, sixteen of CSV. */
const [PARQUET_ROWS, CSV_ROWS] = [1_200, 6_400];

const large = await folder();
await parquet(join(large, 'whole.parquet'), `SELECT ${NOISE} FROM range(${PARQUET_ROWS})`);
const csv = `id,day,amount,name\n${Array.from({ length: CSV_ROWS }, (_, i) => `${i},2024-01-${String((i % 28) + 1).padStart(2, '0')},${i}.5,"${'name, '.repeat(450)}${i}"`).join('\n')}\n`;
await writeFile(join(large, 'table.csv'), csv);
await writeFile(join(large, 'few.csv'), 'id\n1\n');

// The program is tried with the files that cost least; what both kinds of them become is looked at below.
const glob = '{whole.parquet,few.csv}';
for (const { name, run } of connectorConformance({
  command: [process.execPath, '--conditions=@weir/source', PROGRAM],
  config: { path: large, glob },
  badConfig: { path: '/nowhere' },
  segments: true,
})) {
  t.test(name, run);
}

t.test('a Parquet file goes as it is, and its state counts its rows', async (t) => {
  const { code, segments, kept, messages } = await readSegments({ path: large, glob: 'whole.parquet' });
  t.equal(code, 0);
  t.match(segments, [{ stream: 'whole', rows: PARQUET_ROWS }]);
  const whole = join(large, 'whole.parquet');
  const digest = createHash('sha256')
    .update(await readFile(whole))
    .digest('hex');
  t.equal(segments[0].sha256, digest);
  t.equal((await stat(join(kept, segments[0].file))).size, (await stat(whole)).size);
  t.match(statesOf({ code, messages, lines: [] }), [{ sourceStats: { recordCount: PARQUET_ROWS } }]);
});

t.test('a CSV file goes as texts that are those of its records, in the order of its rows', async (t) => {
  const config = { path: large, glob: 'table.csv' };
  const { code, segments, kept } = await readSegments(config);
  t.equal(code, 0);
  const files = segments.map(({ file }) => `'${join(kept, file)}'`).join(', ');
  const rows = await query(`SELECT * FROM read_parquet([${files}])`);
  const records = dataOf(await read(config));
  t.equal(rows.length, records.length);
  for (const [index, row] of rows.entries()) {
    const record = Object.values(records[index]).map(String);
    if (row.join('|') !== record.join('|')) t.strictSame(row, record);
  }
});

t.test('a Parquet file over the limit goes in slices of its rows, each within the limit, all rows once', async (t) => {
  const path = await folder();
  await parquet(join(path, 'big.parquet'), `SELECT ${NOISE} FROM range(${BIG_ROWS})`, ', ROW_GROUP_SIZE 20480');
  t.ok((await stat(join(path, 'big.parquet'))).size > MAX_SEGMENT_BYTES);
  const { code, segments, kept } = await readSegments({ path });
  t.equal(code, 0);
  t.ok(segments.length > 1);
  t.ok(segments.every(({ bytes }) => bytes <= MAX_SEGMENT_BYTES));
  const files = segments.map(({ file }) => `'${join(kept, file)}'`).join(', ');
  t.strictSame(
    await query(
      `SELECT count(*), count(DISTINCT id), max(id), bool_and(a = md5(id::VARCHAR)) FROM read_parquet([${files}])`,
    ),
    [[`${BIG_ROWS}`, `${BIG_ROWS}`, `${BIG_ROWS - 1}`, true]],
  );
  t.strictSame(
    segments.map(({ file }) => file),
    segments.map((_, index) => `${index}.parquet`),
  );
});

t.test('what is small, or cannot be sliced, goes as records though segments are offered', async (t) => {
  const path = await folder({ 'few.csv': 'id\n1\n2\n', 'docs.jsonl': '{"a":1}\n' });
  await parquet(join(path, 'tiny.parquet'), 'SELECT 1 AS id');
  await parquet(join(path, 'named.parquet'), `SELECT ${NOISE}, 1 AS file_row_number FROM range(${PARQUET_ROWS})`);
  const { code, segments, messages } = await readSegments({ path });
  t.equal(code, 0);
  t.strictSame(segments, []);
  t.equal(dataOf({ code, messages, lines: [] }).length, PARQUET_ROWS + 4);
});

t.test('a row that does not fit is rejected in both lanes, and all others are sent once', async (t) => {
  const path = await folder({ 'broken.csv': csv.replace('\n4000,', '\n4000,4000,') });
  const config = { path };
  const catalog = configured(await discover({ path: large, glob: 'table.csv' }));
  const broken = JSON.parse(JSON.stringify(catalog).replace('"table"', '"broken"'));
  const [segmented, lined] = [await readSegments(config, broken), await read(config, broken)];
  const wanted = [{ reason: 'row_too_wide', file: 'broken.csv', line: 4002, raw: /^4000,4000,/ }];
  t.match(rejectedOf(lined), wanted);
  t.match(rejectedOf({ ...segmented, lines: [] }), wanted);
  t.equal(dataOf(lined).length, CSV_ROWS - 1);
  t.equal(
    segmented.segments.reduce((sum, { rows }) => sum + rows, 0),
    CSV_ROWS - 1,
  );
});

t.test('slices cover every row once and in order', async () => {
  const group = fc.record({ rows: fc.integer({ min: 1, max: 500 }), bytes: fc.integer({ min: 0, max: 1000 }) });
  fc.assert(
    fc.property(fc.array(group, { maxLength: 12 }), fc.integer({ min: 1, max: 400 }), (groups, limit) => {
      const slices = planSlices(groups, limit);
      const rows = groups.reduce((sum, one) => sum + one.rows, 0);
      const ends = [0, ...slices.map(({ to }) => to)];
      const isWhole = slices.every(({ from, to }, index) => to > from && from === ends[index]);
      return isWhole && ends.at(-1) === rows;
    }),
    { numRuns: 1000 },
  );
});

t.test('the temporary folder is empty when all is sent', async (t) => {
  const own = await ownTemporaryFolder(t);
  await mkdir(join(own, 'duckdb'));
  const { code } = await readSegments({ path: large });
  t.equal(code, 0);
  const left = (await readdir(join(own, 'duckdb'))).filter((name) => name.startsWith('segments-'));
  t.strictSame(left, []);
});
