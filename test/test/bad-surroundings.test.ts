import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ProxiedRequest, startFlakyProxy, testBucket, testS3 } from '@weir/lakehouse/testing';
import t from 'tap';
import { type LineSource, lineSource, platformOfLines } from '../crash/line-source.ts';
import { readRows } from '../crash/read-rows.ts';
import { until } from '../crash/until.ts';
import { testPython } from '../python.ts';

const HANG_LIMIT_MS = 600_000;
t.setTimeout(HANG_LIMIT_MS);

const run = promisify(execFile);
const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
const APPENDER = new URL('../crash/append_rows.py', import.meta.url).pathname;

async function idsOf(source: LineSource, properties: Record<string, string> = {}): Promise<number[]> {
  const location = await source.location();
  const rows = await readRows<[number]>({ locations: [location], fields: ['id'], properties });
  return (rows[location] ?? []).flat().sort((a, b) => a - b);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

t.test('a table that another engine changes in mid-sync keeps its rows and ours, each once', async (t) => {
  const platform = await platformOfLines(t);
  const go = join(platform.folder, 'go');
  // What came before the pause is committed with what comes after it.
  const early = [{ from: 0, count: 50 }, { state: 1 }, { pauseMs: 1_500 }, { from: 50, count: 1 }, { state: 2 }];
  const steps = [...early, { until: go }, { from: 51, count: 49 }, { state: 3 }];
  const source = await lineSource(platform, 'shared', { schema: SCHEMA, steps });
  const { run_id } = await source.start();
  await until('the first commit', async () => ((await source.status(run_id)).rows_written >= 50 ? true : undefined));
  const url = platform.database.superuserUrl.replace(/^\w+:/, 'postgresql+psycopg2:');
  const python = process.env.WEIR_TEST_PYTHON ?? (await testPython());
  await run(python, [APPENDER, `${url}?options=-csearch_path%3Dcatalog`, source.table, '1000', '1001']);
  await writeFile(go, '');
  t.match(await source.ended(run_id), { status: 'succeeded', verdict: 'clean', rows_written: 100, attempt: 1 });
  t.strictSame(await idsOf(source), [...range(0, 100), 1000, 1001]);
});

/** Why no small disk can be had, or false: it takes the superuser, and in a container the right to mount. */
async function noSmallDisk(): Promise<string | false> {
  const place = await mkdtemp(join(tmpdir(), 'weir-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]);
    await run('umount', [place]);
    return false;
  } catch {
    return 'this user cannot mount a small disk';
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

const skip = await noSmallDisk();

t.test('a full disk', { skip }, async (t) => {
  for (const [where, size, code] of [
    ['work', '300k', /^work_disk_full$/],
    // By who meets it first, the process that writes the rows or the one that commits them.
    ['warehouse', '16k', /^(work_disk_full|storage_full)$/],
  ] as const) {
    await t.test(`of the ${where} folder fails the run by its name, and the next one finds room`, async (t) => {
      const text = 'not to be made small '.repeat(20);
      const platform = await platformOfLines(t, async (folder) => {
        await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', join(folder, where)]);
        t.teardown(() => run('umount', ['-l', join(folder, where)]));
        return {};
      });
      const room = join(platform.folder, where);
      const source = await lineSource(platform, `full_${where}`, {
        schema: SCHEMA,
        steps: [{ from: 0, count: 100 }, { state: 1 }, { from: 100, count: 40_000, text }, { state: 2 }],
      });
      await run('mount', ['-o', `remount,size=${size}`, room]);
      const failed = await source.sync();
      t.match(failed, { status: 'failed', failure: { code, hint: String } });
      await run('mount', ['-o', 'remount,size=128m', room]);
      t.match(await source.sync(), { status: 'succeeded', verdict: 'clean' });
      t.strictSame(await idsOf(source), range(0, 40_100));
    });
  }
});

t.test('a store that refuses, cuts and loses answers holds each row once', async (t) => {
  const bucket = await testBucket();
  t.teardown(bucket.close);
  const s3 = testS3();
  const proxy = await startFlakyProxy(s3.endpoint ?? '');
  t.teardown(proxy.close);
  const platform = await platformOfLines(t, async () => ({
    WEIR_WAREHOUSE: bucket.warehouse,
    OBJECT_STORE_ENDPOINT_URL: proxy.url,
    OBJECT_STORE_ACCESS_KEY_ID: s3.accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: s3.secretAccessKey,
  }));
  const batches = range(0, 5).flatMap((at) => [{ from: at * 100, count: 100 }, { state: at }]);
  const source = await lineSource(platform, 'flaky', { schema: SCHEMA, steps: batches });
  const reader = {
    's3.endpoint': s3.endpoint ?? '',
    's3.region': 'us-east-1',
    's3.access-key-id': s3.accessKeyId,
    's3.secret-access-key': s3.secretAccessKey,
  };
  let seen = 0;
  const faults = [
    'refuse',
    undefined,
    'cut_after',
    undefined,
    'refuse_after',
    undefined,
    'truncate',
    undefined,
  ] as const;
  proxy.choose((_request: ProxiedRequest) => faults[seen++ % faults.length]);
  t.match(await source.sync(), { status: 'succeeded', verdict: 'clean', rows_written: 500 });
  t.ok(seen > faults.length, `${seen} requests were made, every other one in vain`);
  t.strictSame(await idsOf(source, reader), range(0, 500));

  proxy.choose(() => 'refuse');
  const other = await lineSource(platform, 'away', { schema: SCHEMA, steps: batches });
  const before = proxy.seen.length;
  const { run_id } = await other.start();
  await until('requests in vain', async () => (proxy.seen.length > before + 2 ? true : undefined));
  proxy.choose(() => undefined);
  t.match(await other.ended(run_id), { status: 'succeeded', verdict: 'clean', rows_written: 500 });
  t.strictSame(await idsOf(other, reader), range(0, 500), 'of a store that was away for a while');
});
