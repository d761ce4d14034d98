import { readFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { type BenchCase, meets } from '../bench-result.ts';
import { messageChunks } from '../lines/line-file.ts';
import { LINE_KINDS } from '../lines/line-kinds.ts';
import { median, pairing } from '../measure/paired.ts';
import { percentile } from '../measure/percentile.ts';
import { performancePage } from '../performance/performance-page.ts';
import { type StoredResult, storedResults } from '../performance/stored-result.ts';

const PAGE = path.resolve(import.meta.dirname, '../../docs/performance.md');

t.test('docs/performance.md is what npm run docs would write from the stored results', async (t) => {
  t.equal(await readFile(PAGE, 'utf8'), performancePage(await storedResults()));
});

t.test('the page tells a bar that is missed as missed, and shows the cases that are lost', async (t) => {
  const lost: BenchCase = { case: 'slow', rows: 10, cpu_s: 2, ratio: 0.5, bars: [{ figure: 'ratio', least: 0.65 }] };
  const stored: StoredResult = {
    ...{ suite: 'x', cases: [lost], command: 'npm run bench -- x', date: '2026-01-01', versions: { node: '24' } },
    machine: { cores: 2, processor: 'p', memory_gib: 24, system: 'linux' },
  };
  t.match(performancePage([stored]), /\| `slow` \| ours \| 10 \| 2\.00 .*\| 0\.50 \|/);
  t.match(performancePage([stored]), /`slow` ratio \| at least 0\.65 \| 0\.50 \| \*\*missed\*\*/);
});

t.test(
  'the page tells how much of the processor time is that of a container engine, and the ratio without it',
  async (t) => {
    const peer = { name: 'file', rows: 10, cpu_s: 1 };
    const found: BenchCase = { case: 'lines', rows: 10, cpu_s: 2, engine_cpu_s: 0.75, peer, ratio: 0.5 };
    const stored: StoredResult = {
      ...{ suite: 'x', cases: [{ ...found, ratio_without_engine: 0.8 }], versions: { node: '24' } },
      ...{ command: 'npm run bench -- x', date: '2026-01-01' },
      machine: { cores: 2, processor: 'p', memory_gib: 24, system: 'linux' },
    };
    const page = performancePage([stored]);
    t.match(
      page,
      /\| `lines` \| ours \| 10 \| 2\.00, of which engine 0\.75 .*\| 0\.50 \(0\.80 without the engine\) \|/,
    );
    t.match(page, /\| {2}\| file \| 10 \| 1\.00 \|/, 'a side without one says nothing of it');
  },
);

t.test('two sides are compared with what their engines use, and without', async (t) => {
  const run = (cpu_s: number, engine_cpu_s?: number) => {
    return { cpu_s, wall_s: 1, rss_mb: 1, ...(engine_cpu_s === undefined ? {} : { engine_cpu_s }) };
  };
  const found = pairing([{ name: 'a', rows: 10 }, [run(4, 2)]], [{ name: 'b', rows: 10 }, [run(1)]]);
  t.match(found, { ratio: 0.25, ratio_without_engine: 0.5, ours: { engine_cpu_s: 2 } });
  const plain = pairing([{ name: 'a', rows: 10 }, [run(4)]], [{ name: 'b', rows: 10 }, [run(1)]]);
  t.notOk('ratio_without_engine' in plain || 'engine_cpu_s' in plain.ours);
});

t.test('a bar is met at its bound, and by no figure that was not measured', async (t) => {
  const found: BenchCase = { case: 'x', ratio: 0.65, marks_ms: { p95: 30 } };
  t.ok(meets(found, { figure: 'ratio', least: 0.65 }));
  t.ok(meets(found, { figure: 'p95', most: 30 }));
  t.notOk(meets(found, { figure: 'p95', most: 29.99 }));
  t.notOk(meets(found, { figure: 'rss_mb', most: 768 }));
});

t.test('medians and percentiles are values that were measured, or lie between two of them', async (t) => {
  t.equal(median([3, 1, 2]), 2);
  t.equal(median([4, 1, 2, 3]), 2.5);
  t.equal(percentile([5, 1, 4, 2, 3], 0.5), 3);
  t.equal(percentile([1, 2, 3], 0.95), 3);
  t.same(percentile([], 0.5), Number.NaN);
});

t.test('a row of the test data is the same wherever the data begin, and of one kind everywhere', async (t) => {
  const records = (rows: number, from?: number) =>
    [...messageChunks(LINE_KINDS.narrow, rows, from)]
      .join('')
      .split('\n')
      .filter((line) => line.includes('"RECORD"'));
  t.equal(records(20)[14], records(5, 15)[0]);
  t.equal(records(2_500).length, 2_500, 'over the ends of chunks');
  const { record } = JSON.parse(records(1)[0] ?? '');
  t.strictSame(
    Object.keys(record.data),
    LINE_KINDS.narrow.columns.map(({ name }) => name),
  );
});
