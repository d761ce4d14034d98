import assert from 'node:assert/strict';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { runSource, SEGMENT_OFFER } from '@weir/connector-sdk';
import {
  assignFieldIds,
  type Column,
  type CopyResult,
  createStager,
  jsonSchemaToColumns,
  openStore,
  type PrimitiveType,
  type TableSchema,
  withMetaColumns,
} from '@weir/lakehouse';
import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { configured, discover, folder, read, source } from './kit.ts';

const SHAPE = { data: ['record', 'data'], extractedAt: ['record', 'emitted_at'] } as const;
const ROWS = 1500;
const duckdb = await DuckDBInstance.create();
const connection = await duckdb.connect();
await connection.run(`SET TimeZone = 'UTC'`);
t.teardown(() => {
  connection.closeSync();
  duckdb.closeSync();
});

const pick = (values: readonly string[]) =>
  `list_extract([${values.join(', ')}], 1 + (random() * ${values.length})::INTEGER)`;
const some = (type: string, random: string, edges: readonly string[]) =>
  `CASE WHEN random() < 0.1 THEN NULL WHEN random() < 0.5 THEN ${pick(edges.map((edge) => `(${edge})::${type}`))} ELSE (${random})::${type} END`;
const big = '(random() * 9e18)::BIGINT * (CASE WHEN random() < 0.5 THEN 1 ELSE -1 END)';
const moment = `(random() * 8e15)::BIGINT - 4e15::BIGINT`;
/** Columns of every type that a Parquet file has, with values anywhere in their range and at its ends. */
const COLUMNS: Readonly<Record<string, string>> = {
  bool: some('BOOLEAN', 'random() < 0.5', ['true']),
  i8: some('TINYINT', '(random() * 100)', ['-128', '127', '0']),
  i16: some('SMALLINT', '(random() * 30000)', ['-32768', '32767']),
  i32: some('INTEGER', '(random() * 2e9)', ['-2147483648', '2147483647', '1']),
  i64: some('BIGINT', big, ['-9223372036854775808', '9223372036854775807', '9007199254740993']),
  u8: some('UTINYINT', '(random() * 200)', ['255']),
  u32: some('UINTEGER', '(random() * 4e9)', ['4294967295']),
  u64: some('UBIGINT', '(random() * 1.8e19)', ['18446744073709551615', '0']),
  f32: some('FLOAT', 'random()', ['0.1', '-0.0', `'nan'`, `'inf'`, '3.4e38', '1e-45', '16777217']),
  f64: some('DOUBLE', 'random() * 1e300', [
    '0.1',
    '-0.0',
    `'nan'`,
    `'-inf'`,
    '1.7e308',
    '5e-324',
    '1e15',
    '123456789012345680',
  ]),
  dec: some('DECIMAL(38, 9)', big, ['12345678901234567890.123456789', '-0.000000001', '1.5', '2']),
  dec9: some('DECIMAL(9, 2)', 'random() * 1e6', ['9999999.99', '0.05']),
  date: some('DATE', `DATE '1970-01-01' + (random() * 40000 - 20000)::INTEGER`, [
    `'0001-01-01'`,
    `'9999-12-31'`,
    `'1969-12-31'`,
  ]),
  time: some('TIME', `make_timestamp((random() * 8.64e10)::BIGINT)`, [`'00:00:00'`, `'23:59:59.999999'`]),
  ts: some('TIMESTAMP', `make_timestamp(${moment})`, [
    `'1969-12-31 23:59:59.999999'`,
    `'0001-01-01'`,
    `'9999-12-31 23:59:59.999999'`,
  ]),
  tsms: some('TIMESTAMP_MS', `make_timestamp(${moment})`, [`'1960-02-03 04:05:06.789'`]),
  tsns: some('TIMESTAMP_NS', `make_timestamp(${moment})`, [
    `'1960-02-03 04:05:06.123456789'`,
    `'2024-02-29 23:59:59.999999999'`,
    `'2024-02-29 01:00:00.000001'`,
  ]),
  tz: some('TIMESTAMPTZ', `make_timestamptz(${moment})`, [
    `'1969-12-31 23:59:59.999999+00'`,
    `'2024-06-01 12:00:00+05:30'`,
  ]),
  uuid: some('UUID', 'uuid()', [`'00000000-0000-0000-0000-000000000000'`]),
  blob: some('BLOB', `encode(md5(random()::VARCHAR))`, [`''`, `'\\x00\\xFF'`]),
  text: some('VARCHAR', `md5(random()::VARCHAR)`, [
    `''`,
    `' x '`,
    `'12'`,
    `'1.50'`,
    `'true'`,
    `'2024-02-30'`,
    `'2024-02-29'`,
    `'2024-02-29T10:00:00+02:00'`,
    `'null'`,
    `'"'`,
    `'\\'`,
    `'{"a":1}'`,
    `'é😀'`,
    `chr(0) || 'x'`,
    `chr(8232)`,
    `'1e400'`,
    `'infinity'`,
    `'12:30:00'`,
  ]),
  list: some('INTEGER[]', '[1, 2, NULL]', ['[]', '[NULL]']),
  struct: some('STRUCT(a BIGINT, "b c" VARCHAR)', `{'a': 9007199254740993, 'b c': 'é"'}`, [`{'a': NULL, 'b c': NULL}`]),
  map: some('MAP(VARCHAR, INTEGER)', `MAP {'a': 1}`, [`MAP {}`]),
};
const TYPES: readonly PrimitiveType[] = [
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'string',
  'uuid',
  'binary',
  'decimal(38, 0)',
  'decimal(38, 9)',
  'decimal(12, 2)',
];

/** Reads a folder by one lane; gives the path of the lines, or those of the segments. */
async function lane(config: unknown, catalog: object, offered: boolean): Promise<string[]> {
  const place = await folder();
  const kept = await folder();
  if (!offered) {
    const { lines } = await read(config, catalog);
    const path = join(kept, 'lines.ndjson');
    await writeFile(
      path,
      lines
        .filter((line) => line.startsWith('{"type":"RECORD"'))
        .map((line) => `${line}\n`)
        .join(''),
    );
    return [path];
  }
  const inputs = await folder({ config: JSON.stringify(config), catalog: JSON.stringify(catalog) });
  const env = { [SEGMENT_OFFER.channelVariable]: SEGMENT_OFFER.channel, [SEGMENT_OFFER.folderVariable]: place };
  const argv = ['read', '--config', join(inputs, 'config'), '--catalog', join(inputs, 'catalog')];
  const streams = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume(), env };
  assert.equal(await runSource(source, argv, streams), 0);
  const files = (await readdir(place)).sort();
  for (const file of files) await rename(join(place, file), join(kept, file));
  assert.ok(files.length > 0, 'the file was not worth a segment');
  return files.map((file) => join(kept, file));
}

const schemaOf = (columns: readonly Column[]): TableSchema => ({
  type: 'struct',
  'schema-id': 0,
  fields: assignFieldIds(withMetaColumns(columns)),
});

/** Stages the same file by both lanes into tables of this schema. */
async function bothLanes(columns: readonly Column[]) {
  const root = await folder();
  await mkdir(join(root, 'tables'));
  const stager = await createStager({
    io: openStore({ warehouse: root, scratch: join(root, 'cache') }),
    scratch: join(root, 'scratch'),
  });
  const common = { schema: schemaOf(columns), runId: 'r', position: 0 };
  try {
    const results: CopyResult[] = [];
    for (const [index, path] of lines.entries()) {
      results.push(
        await stager.copy({ ...common, source: path, shape: SHAPE, folder: join(root, `tables/lines-${index}`) }),
      );
    }
    const taken: CopyResult[] = [];
    for (const [index, path] of segments.entries()) {
      taken.push(
        await stager.segment({
          ...common,
          source: path,
          extractedAt: 7,
          folder: join(root, `tables/segment-${index}`),
        }),
      );
    }
    return { lines: results, segments: taken };
  } finally {
    stager.close();
  }
}

/** The rows that one side has and the other lacks, as JSON; told apart by their id. */
async function difference(left: readonly CopyResult[], right: readonly CopyResult[]): Promise<unknown[]> {
  const files = (results: readonly CopyResult[]) =>
    `[${results.flatMap((result) => result.files.map(({ location }) => `'${location.replace(/^file:\/\//, '')}'`)).join(', ')}]`;
  const rows = (results: readonly CopyResult[]) => `SELECT to_json(s)::VARCHAR AS row
    FROM (SELECT * EXCLUDE (_extracted_at, pad) FROM read_parquet(${files(results)})) s`;
  const reader = await connection.runAndReadAll(
    `(SELECT 'lines', row FROM (${rows(left)} EXCEPT ALL ${rows(right)}) ORDER BY 2 LIMIT 3)
     UNION ALL (SELECT 'segment', row FROM (${rows(right)} EXCEPT ALL ${rows(left)}) ORDER BY 2 LIMIT 3)`,
  );
  return reader.getRowsJson();
}

type Tap = Pick<typeof t, 'strictSame' | 'equal'>;
const sum = (results: readonly CopyResult[], of: 'rows' | 'rowsWithErrors' | 'rowsWithExtra') =>
  results.reduce((total, result) => total + result[of], 0);

async function assertEqualLanes(t: Tap, columns: readonly Column[]) {
  const sides = await bothLanes(columns);
  t.strictSame(
    await difference(sides.lines, sides.segments),
    [],
    columns.map(({ name, type }) => `${name} ${type}`).join(),
  );
  for (const figure of ['rows', 'rowsWithErrors', 'rowsWithExtra'] as const) {
    t.equal(sum(sides.segments, figure), sum(sides.lines, figure), figure);
  }
  if (sides.segments.length === 1) t.equal(sides.segments[0]?.checksum, sides.lines[0]?.checksum);
}

/** Drawn from a seed, so that a run that fails can be had again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const path = await folder();
await connection.run('SELECT setseed(0.42)');
const columns = Object.entries(COLUMNS).map(([name, sql]) => `${sql} AS "${name}"`);
// Hard to pack: smaller files are sent as lines only.
const pad = `concat(${Array.from({ length: 32 }, () => 'md5(random()::VARCHAR)').join(', ')}) AS pad`;
await connection.run(
  `COPY (SELECT range AS id, ${columns.join(', ')}, ${pad} FROM range(${ROWS})) TO '${join(path, 'all.parquet')}' (FORMAT parquet)`,
);
const catalog = configured(await discover({ path }));
const lines = await lane({ path }, catalog, false);
const segments = await lane({ path }, catalog, true);
const [stream] = catalog.streams as unknown as { stream: { json_schema: object } }[];
const own = jsonSchemaToColumns(stream?.stream.json_schema);

t.test('a Parquet file of every type gives the same table by both lanes', async (t) => {
  await assertEqualLanes(t, own);
});

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);
for (const seed of sample('properties', SEEDS, 4)) {
  t.test(`so it does in a table of other types, and of fewer columns (${seed})`, async (t) => {
    const roll = dice(seed);
    const other = own.flatMap((column): Column[] => {
      if (column.name === 'id' || column.name === 'pad') return [column];
      if (roll(10) === 0) return [];
      return [roll(4) === 0 ? column : { name: column.name, type: TYPES[roll(TYPES.length)] ?? 'string' }];
    });
    await assertEqualLanes(t, other);
  });
}
