import fc from 'fast-check';
import t from 'tap';
import { queueGauges } from '../src/engine/gauges.ts';
import { backlogOf, judgeQueue, overallStatus, verdictOf } from '../src/engine/judge-queue.ts';
import { queueStates, STATE_AGE_MS } from '../src/engine/queue-states.ts';
import { activityFigures } from '../src/figures/activity-figures.ts';
import { type Bucket, highestEdge, quantile } from '../src/figures/quantiles.ts';
import { engineUnderTest, QUEUE } from './kit.ts';

const RUNS = 1_000;
const EDGES = [0.1, 1, 10, 100];

/** The buckets that a histogram of these values would have. */
function bucketsOf(values: readonly number[]): Bucket[] {
  return [...EDGES, Number.POSITIVE_INFINITY].map((edge) => ({
    edge,
    cumulative: values.filter((value) => value <= edge).length,
  }));
}

t.test('a quantile lies in the bucket of the value that it stands for, and rises with its share', async (t) => {
  const values = fc.array(fc.double({ min: 0, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 50 });
  const shares = fc.tuple(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.double({ min: 0.01, max: 1, noNaN: true }));
  const law = fc.property(values, shares, (found, [a, b]) => {
    const buckets = bucketsOf(found);
    const [low, high] = [Math.min(a, b), Math.max(a, b)].map((q) => quantile(buckets, q)) as [number, number];
    const exact = found.toSorted((x, y) => x - y)[Math.ceil(Math.max(a, b) * found.length) - 1] as number;
    const upper = EDGES.find((edge) => exact <= edge) ?? 100;
    const lower = EDGES.findLast((edge) => edge < exact) ?? 0;
    return low <= high && high >= Math.min(lower, 100) - 1e-9 && high <= upper + 1e-9;
  });
  fc.assert(law, { numRuns: RUNS });
  t.pass('holds');
});

t.test('no value has no quantile, and values beyond the last edge have no highest one', async (t) => {
  t.strictSame([quantile([], 0.5), quantile(bucketsOf([]), 0.5), highestEdge(bucketsOf([]))], Array(3).fill(undefined));
  t.equal(highestEdge(bucketsOf([5, 0.5])), 10);
  t.equal(highestEdge(bucketsOf([5, 500])), Number.POSITIVE_INFINITY);
  t.equal(quantile(bucketsOf([500]), 0.5), 100);
});

t.test('a backlog is empty, draining, growing, or stuck when nobody polls', async (t) => {
  const backlog = (tasks: number, added: number, dispatched: number) => ({
    ...backlogOf(),
    ...{ tasks, added_per_second: added, dispatched_per_second: dispatched },
  });
  t.equal(verdictOf(backlog(0, 0, 0), false), 'empty');
  t.equal(verdictOf(backlog(5, 0, 0), false), 'stuck');
  t.equal(verdictOf(backlog(5, 1, 2), true), 'draining');
  t.equal(verdictOf(backlog(5, 2, 1), true), 'growing');
  const unknown = judgeQueue({ role: 'r', queue: 'q', plugin: 'p', description: undefined }, new Date());
  t.match(unknown, { status: 'unreachable', diagnostics: [] });
  t.equal(overallStatus(true, [unknown]), 'degraded');
  t.equal(overallStatus(true, []), 'up');
  t.equal(overallStatus(false, []), 'down');
});

t.test('many callers share one question to the engine, and ask again when it is old', async (t) => {
  let [asked, now] = [0, 0];
  const engine = {
    queues: () => [{ role: 'r', queue: 'q', plugin: 'p' }],
    async describeQueue(): Promise<never> {
      asked += 1;
      throw new Error('away');
    },
  };
  const states = queueStates(engine, () => now);
  const [first] = await Promise.all(Array.from({ length: 50 }, states));
  t.match(first?.queues, [{ queue: 'q', description: undefined }]);
  t.equal(asked, 1);
  now = STATE_AGE_MS - 1;
  await states();
  t.equal(asked, 1);
  now = STATE_AGE_MS;
  await states();
  t.equal(asked, 2);
});

t.test('gauges tell backlog and pollers of each queue, and nothing at all while the engine is away', async (t) => {
  const read = new Map<string, () => Promise<readonly { labels: object; value: number }[]>>();
  const gauge = (spec: { name: string; read: () => Promise<readonly { labels: object; value: number }[]> }) =>
    void read.set(spec.name, spec.read);
  const at = new Date();
  const backlog = { tasks: 3, oldestSeconds: 7, addedPerSecond: 0, dispatchedPerSecond: 0 };
  const side = { pollers: [{ identity: 'x', lastSeenAt: at }], backlog };
  let description: { workflow: typeof side; activity: typeof side } | undefined = { workflow: side, activity: side };
  const states = async () => ({ at, queues: [{ role: 'r', queue: 'q', plugin: 'p', description }] });
  queueGauges({ gauge } as never, ['q'], states);
  const values = async () =>
    Object.fromEntries(await Promise.all([...read].map(async ([name, look]) => [name, await look()])));
  t.strictSame(await values(), {
    weir_task_queue_backlog_tasks: [{ labels: { queue: 'q' }, value: 6 }],
    weir_task_queue_oldest_seconds: [{ labels: { queue: 'q' }, value: 7 }],
    weir_task_queue_pollers: [
      { labels: { queue: 'q', type: 'workflow' }, value: 1 },
      { labels: { queue: 'q', type: 'activity' }, value: 1 },
    ],
  });
  description = undefined;
  t.strictSame(Object.values(await values()), [[], [], []]);
});

t.test('what the worker program tells of activities becomes figures with bounded labels', async (t) => {
  const told: unknown[] = [];
  const histogram = ({ name, labels }: { name: string; labels: object }) => {
    return (...given: unknown[]) => void told.push([name, labels, ...given]);
  };
  const watch = activityFigures({ histogram } as never, ['q']);
  watch('q', 2);
  watch('q', 3, 'failed');
  const outcomes = ['succeeded', 'failed', 'cancelled'];
  t.strictSame(told, [
    ['weir_activity_schedule_to_start_seconds', { queue: ['q'] }, { queue: 'q' }, 2],
    ['weir_activity_duration_seconds', { queue: ['q'], outcome: outcomes }, { queue: 'q', outcome: 'failed' }, 3],
  ]);
  const { registration } = await engineUnderTest(t);
  t.match(registration.contributes, [{ id: 'activity.watch' }]);
  t.ok(QUEUE);
});
