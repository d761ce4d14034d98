import t from 'tap';
import { figures } from '../src/metrics/figures.ts';

t.test('other plugins read the sums of one counter or histogram, and of no other that begins like it', async (t) => {
  const sample = (name: string, labels: object, value: number) => ({ name, labels: JSON.stringify(labels), value });
  const sums = async () => [
    sample('weir_x_seconds_bucket', { le: '1', queue: 'q' }, 2),
    sample('weir_x_seconds_sum', { queue: 'q' }, 1.5),
    sample('weir_x_seconds_more_count', {}, 9),
    sample('weir_x', {}, 3),
  ];
  const { totals } = figures({ sums });
  t.strictSame(await totals('weir_x_seconds'), [
    { metricName: 'weir_x_seconds_bucket', labels: { le: '1', queue: 'q' }, value: 2 },
    { metricName: 'weir_x_seconds_sum', labels: { queue: 'q' }, value: 1.5 },
  ]);
  t.strictSame(await totals('weir_x'), [{ metricName: 'weir_x', labels: {}, value: 3 }]);
  t.strictSame(await totals('weir_y'), []);
});
