import t from 'tap';
import { createMetrics } from '../src/index.ts';

t.test('a label value that was not announced is counted as other, however many there are', async (t) => {
  const metrics = createMetrics();
  const count = metrics.counter({ name: 'weir_tests_total', help: 'h', labels: { outcome: ['good', 'bad'] } });
  count({ outcome: 'good' });
  for (let at = 0; at < 10_000; at += 1) count({ outcome: `tenant-${at}` });
  const [counted] = await metrics.counted();
  t.match(counted?.values, [
    { labels: { outcome: 'good' }, value: 1 },
    { labels: { outcome: 'other' }, value: 10_000 },
  ]);
  t.equal(counted?.values.length, 2);
});

t.test('a histogram keeps its buckets, and a gauge is asked each time it is shown', async (t) => {
  const metrics = createMetrics();
  const lasted = metrics.histogram({ name: 'weir_s', help: 'h', labels: { kind: ['a'] }, buckets: [1, 5] });
  lasted({ kind: 'a' }, 3);
  const [histogram] = await metrics.counted();
  t.match(
    histogram?.values.map(({ value }) => value),
    [0, 1, 1, 3, 1],
    'le 1, le 5, le +Inf, sum, count',
  );
  let depth = 7;
  metrics.gauge({
    name: 'weir_depth',
    help: 'h',
    labels: { queue: ['q'] },
    read: async () => [{ labels: { queue: 'q' }, value: depth }],
  });
  t.match(await metrics.gauges(), [{ values: [{ labels: { queue: 'q' }, value: 7 }] }]);
  depth = 0;
  t.match(await metrics.gauges(), [{ values: [{ value: 0 }] }]);
  t.equal((await metrics.counted()).length, 1, 'a gauge is no sum');
});
