import { join } from 'node:path';
import t from 'tap';
import { lineSource, platformOfLines } from '../crash/line-source.ts';
import { LARGE_DISK, resizeDisk, SMALL_DISK, smallDisk } from '../crash/small-disk.ts';
import { until } from '../until.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'integer' }, s: { type: 'string' } } };
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const FIRST = 100;
const ALL = 500;
/** The second commit brings more than a small disk holds. */
const STEPS = [
  { from: 0, count: FIRST },
  { state: 1 },
  { from: FIRST, count: ALL - FIRST, noise: 30_000 },
  { state: 2 },
];

let cannotMount: string | false = false;
const platform = await platformOfLines(t, async (folder) => {
  cannotMount = await smallDisk(t, join(folder, 'warehouse'));
  return {};
});
const disk = join(platform.folder, 'warehouse');

t.test('a disk of the warehouse that is full for a while holds each row once', { skip: cannotMount }, async (t) => {
  const source = await lineSource(platform, 'full_warehouse', { schema: SCHEMA, steps: STEPS });
  await resizeDisk(disk, SMALL_DISK);
  const { run_id } = await source.start();
  await until('another attempt', async () => ((await source.status(run_id)).attempt >= 2 ? true : undefined));
  await resizeDisk(disk, LARGE_DISK);
  t.match(await source.ended(run_id), { status: 'succeeded', verdict: 'clean' });
  t.strictSame(await source.ids(), range(0, ALL));
});
