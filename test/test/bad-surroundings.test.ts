import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Fault, startFlakyProxy, testBucket } from '@weir/lakehouse/testing';
import t from 'tap';
import { BAD_FIELDS, BAD_LINES, BAD_SCHEMA, base64 } from '../crash/bad-lines.ts';
import { type LineSource, lineSource, platformOfLines } from '../crash/line-source.ts';
import { readerProperties, readRows } from '../crash/read-rows.ts';
import { LARGE_DISK, resizeDisk, SMALL_DISK, smallDisk } from '../crash/small-disk.ts';
import { testPython } from '../python.ts';
import { until } from '../until.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
const WHOLE = { status: 'succeeded', verdict: 'clean' };
const APPENDER = new URL('../crash/append_rows.py', import.meta.url).pathname;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const BATCHES = range(0, 5).flatMap((at) => [{ from: at * 100, count: 100 }, { state: at }]);
/** Every other request gets one of them. */
const FAULTS: readonly (Fault | undefined)[] = ['refuse', 'cut_after', 'refuse_after', 'truncate'].flatMap((fault) => [
  fault as Fault,
  undefined,
]);
const [LONG, TOO_LONG] = [20_000_000, 68_000_000];

const { s3, warehouse, close } = await testBucket();
t.teardown(close);
const reader = readerProperties(s3);
const proxy = await startFlakyProxy(s3.endpoint ?? '');
t.teardown(proxy.close);
let cannotMount: string | false = false;
const platform = await platformOfLines(t, async (folder) => {
  cannotMount = await smallDisk(t, join(folder, 'work'));
  return {
    ...{ WEIR_WAREHOUSE: warehouse, OBJECT_STORE_ENDPOINT_URL: proxy.url },
    ...{ OBJECT_STORE_ACCESS_KEY_ID: s3.accessKeyId, OBJECT_STORE_SECRET_ACCESS_KEY: s3.secretAccessKey },
  };
});

/** The rows of these tables, as a reader finds them that is not ours. */
async function read(sources: readonly LineSource[], fields: readonly string[]): Promise<(readonly unknown[][])[]> {
  const locations: string[] = [];
  for (const source of sources) locations.push(await source.location());
  const rows = await readRows<unknown[]>({ locations, fields, properties: reader });
  return locations.map((location) => rows[location] ?? []);
}

/** What the tables must hold at the end, where one reader that is not ours reads them all. */
const wanted = new Map<LineSource, readonly number[]>();

t.test('whatever a source says is an exact row, a row that tells of it, or a line in quarantine', async (t) => {
  const steps = BAD_LINES.map(([, line]) => ({ data: base64(line) }));
  const source = await lineSource(platform, 'hostile', { schema: BAD_SCHEMA, steps });
  const run = await source.sync();
  const rows = new Map((await read([source], BAD_FIELDS)).flat().map((row) => [row[0], row]));
  const { items, reasons } = await source.quarantined();
  const rejected = new Map(items.map((item) => [item.position, item]));
  const kept = BAD_LINES.flatMap(([, , fate]) => (typeof fate === 'string' ? [] : [fate]));
  t.match(run, {
    ...{ status: 'succeeded', verdict: 'with_rejects', rows_read: BAD_LINES.length, rows_written: kept.length },
    rows_with_errors: kept.filter(({ _errors }) => _errors !== undefined).length,
    rows_with_extra: kept.filter(({ _extra }) => _extra !== undefined).length,
    rows_rejected: BAD_LINES.length - kept.length,
  });
  t.equal(rows.size, kept.length);
  t.equal(
    reasons.reduce((sum, { lines }) => sum + lines, 0),
    BAD_LINES.length - kept.length,
  );
  for (const [at, [what, line, fate]] of BAD_LINES.entries()) {
    const given = typeof fate === 'string' ? {} : fate;
    const wanted = BAD_FIELDS.map((name) => (name === 'id' ? at : (given[name] ?? (name === '_errors' ? [] : null))));
    if (typeof fate !== 'string') t.strictSame(rows.get(at), wanted, what);
    else t.match(rejected.get(String(at)), { reason: fate, run_id: run.run_id }, what);
    const shown = rejected.get(String(at))?.line;
    if (typeof shown === 'string') t.ok(shown.includes(`"data":${line},`), 'as it came');
  }
});

t.test('columns that differ in case alone → one is a column, the value of the other is in _extra', async (t) => {
  const schema = { type: 'object', properties: { name: { type: 'string' }, NAME: { type: 'string' } } };
  const source = await lineSource(platform, 'cases', { schema, steps: [{ data: base64('{"name":"a","NAME":"b"}') }] });
  t.match(await source.sync(), { status: 'succeeded', rows_written: 1, rows_with_extra: 1, rows_rejected: 0 });
});

t.test('a line of 20 MB is a row, one over the limit is told of', async (t) => {
  const steps = [
    { from: 0, count: 1 },
    { id: 1, long: LONG },
    { id: 2, long: TOO_LONG },
    { from: 3, count: 1 },
    { state: 1 },
  ];
  const source = await lineSource(platform, 'long', { schema: SCHEMA, steps });
  const run = await source.sync();
  t.match(run, { status: 'succeeded', verdict: 'with_rejects', rows_written: 3, rows_rejected: 1 });
  const rows = (await read([source], ['id', 's'])).flat().map(([id, s]) => [id, String(s).length]);
  t.strictSame(rows.sort(), [
    [0, 0],
    [1, LONG],
    [3, 0],
  ]);
  const { total, items } = await source.quarantined();
  t.match([total, ...items], [1, { reason: 'line_too_large', position: '2', truncated: true }]);
  t.match(items[0]?.line, /"id":2,/, 'its beginning says which row it is');
});

t.test('a last line that is cut off is read again whole, with all that no state covered', async (t) => {
  const cut = { cut: base64('{"id":5'), once: join(platform.folder, 'was-cut') };
  const steps = [{ from: 0, count: 3 }, { state: 1 }, { from: 3, count: 2 }, cut, { from: 5, count: 1 }, { state: 2 }];
  const source = await lineSource(platform, 'cut', { schema: SCHEMA, steps });
  const run = await source.sync();
  t.match(run, { status: 'succeeded', verdict: 'clean', attempt: 2 });
  wanted.set(source, range(0, 6));
});

t.test('a table that another engine changes in mid-sync keeps its rows and ours, each once', async (t) => {
  const go = join(platform.folder, 'go');
  // What came before the pause is committed with what comes after it.
  const early = [{ from: 0, count: 50 }, { state: 1 }, { pauseMs: 1_500 }, { from: 50, count: 1 }, { state: 2 }];
  const steps = [...early, { until: go }, { from: 51, count: 49 }, { state: 3 }];
  const source = await lineSource(platform, 'shared', { schema: SCHEMA, steps });
  const { run_id } = await source.start();
  await until('the first commit', async () => ((await source.status(run_id)).rows_written >= 50 ? true : undefined));
  const url = platform.database.superuserUrl.replace(/^\w+:/, 'postgresql+psycopg2:');
  const python = process.env.WEIR_TEST_PYTHON ?? (await testPython());
  const env = { ...process.env, TABLE_PROPERTIES: JSON.stringify(reader) };
  await promisify(execFile)(
    python,
    [APPENDER, `${url}?options=-csearch_path%3Dcatalog`, source.table, '1000', '1001'],
    { env },
  );
  await writeFile(go, '');
  t.match(await source.ended(run_id), { status: 'succeeded', verdict: 'clean', rows_written: 100, attempt: 1 });
  wanted.set(source, [...range(0, 100), 1000, 1001]);
});

t.test('a store that refuses, cuts and loses answers holds each row once', async (t) => {
  const source = await lineSource(platform, 'flaky', { schema: SCHEMA, steps: BATCHES });
  let seen = 0;
  proxy.choose(() => FAULTS[seen++ % FAULTS.length]);
  t.match(await source.sync(), { ...WHOLE, rows_written: 500 });
  proxy.choose(() => undefined);
  t.ok(seen > FAULTS.length, `${seen} requests were made, every other one in vain`);
  wanted.set(source, range(0, 500));
});

t.test(
  'a full disk of the work folder fails the run by its name, and the next one finds room',
  { skip: cannotMount },
  async (t) => {
    const steps = [{ from: 0, count: 100 }, { state: 1 }, { from: 100, count: 400, noise: 30_000 }, { state: 2 }];
    const source = await lineSource(platform, 'full_work', { schema: SCHEMA, steps });
    await resizeDisk(join(platform.folder, 'work'), SMALL_DISK);
    t.match(await source.sync(), { status: 'failed', failure: { code: 'work_disk_full', hint: String } });
    await resizeDisk(join(platform.folder, 'work'), LARGE_DISK);
    t.match(await source.sync(), { status: 'succeeded', verdict: 'clean' });
    wanted.set(source, range(0, 500));
  },
);

t.test('after all of it each table holds each row once', async (t) => {
  const sources = [...wanted.keys()];
  t.ok(sources.length >= 3);
  for (const [at, rows] of (await read(sources, ['id'])).entries()) {
    const source = sources[at] as LineSource;
    const ids = rows.flat() as number[];
    t.strictSame(
      ids.sort((a, b) => a - b),
      wanted.get(source),
      source.table,
    );
  }
});
