import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { lineSource, platformOfLines } from '../crash/line-source.ts';
import { testPython } from '../python.ts';
import { until } from '../until.ts';

const HANG_LIMIT_MS = 600_000;
t.setTimeout(HANG_LIMIT_MS);

const run = promisify(execFile);
const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
const APPENDER = new URL('../crash/append_rows.py', import.meta.url).pathname;
const CANNOT_MOUNT = 'this user cannot mount a small disk: it takes the superuser, and in a container the right to';

const [SMALL, LARGE] = ['8m', '128m'];
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

/** Makes a disk of a folder; false where that is not allowed. */
async function disk(folder: string, size: string): Promise<boolean> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  } catch {
    return false;
  }
  t.teardown(() => run('umount', ['-l', folder]));
  return true;
}

const disks: boolean[] = [];
const platform = await platformOfLines(t, async (folder) => {
  for (const [name, size] of [['work', LARGE] as const, ['warehouse', SMALL] as const]) {
    disks.push(await disk(join(folder, name), size));
  }
  return {};
});
const resize = (name: string, size: string) =>
  run('mount', ['-o', `remount,size=${size}`, join(platform.folder, name)]);
const skip = disks.includes(false) && CANNOT_MOUNT;

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
  await run(python, [APPENDER, `${url}?options=-csearch_path%3Dcatalog`, source.table, '1000', '1001']);
  await writeFile(go, '');
  t.match(await source.ended(run_id), { status: 'succeeded', verdict: 'clean', rows_written: 100, attempt: 1 });
  t.strictSame(await source.ids(), [...range(0, 100), 1000, 1001]);
});

const FIRST = 100;
const ALL = 500;
/** The second commit brings more than a small disk holds. */
const STEPS = [
  { from: 0, count: FIRST },
  { state: 1 },
  { from: FIRST, count: ALL - FIRST, noise: 30_000 },
  { state: 2 },
];

t.test('a disk of the warehouse that is full for a while holds each row once', { skip }, async (t) => {
  const source = await lineSource(platform, 'full_warehouse', { schema: SCHEMA, steps: STEPS });
  const { run_id } = await source.start();
  await until('another attempt', async () => ((await source.status(run_id)).attempt >= 2 ? true : undefined));
  await resize('warehouse', LARGE);
  t.match(await source.ended(run_id), { status: 'succeeded', verdict: 'clean' });
  t.strictSame(await source.ids(), range(0, ALL));
});

t.test('a full disk of the work folder fails the run by its name, and the next one finds room', { skip }, async (t) => {
  const source = await lineSource(platform, 'full_work', { schema: SCHEMA, steps: STEPS });
  await resize('work', SMALL);
  t.match(await source.sync(), { status: 'failed', failure: { code: 'work_disk_full', hint: String } });
  await resize('work', LARGE);
  t.match(await source.sync(), { status: 'succeeded', verdict: 'clean' });
  t.strictSame(await source.ids(), range(0, ALL));
});
