import fc from 'fast-check';
import { pino } from 'pino';
import { Counter, Histogram, Registry } from 'prom-client';
import t from 'tap';
import { getMetrics } from '../src/contract.ts';
import { metricLedger } from '../src/metrics/ledger.ts';
import { bodyOf, type World, world } from './kit.ts';

const log = pino({ level: 'silent' });
const BUCKETS = [1, 5];
const KINDS = ['a', 'b'];

type Sql = Parameters<typeof metricLedger>[0]['sql'];

/** The shared tables, as the kernel gives them to the plugin. */
async function sqlOf(here: World): Promise<Sql> {
  const tenant = await here.tenant('acme');
  return (text, params) => here.kernel.db(tenant).transaction((tx) => tx.sql(text, params));
}

/** A process that counts; `fails` says whether its next statement does. */
function process(sql: Sql, fails: () => boolean = () => false) {
  const registry = new Registry();
  const registers = [registry];
  const done = new Counter({ name: 'test_done_total', help: 'done', labelNames: ['kind'], registers });
  const took = new Histogram({
    name: 'test_took_seconds',
    help: 'took',
    labelNames: ['kind'],
    buckets: BUCKETS,
    registers,
  });
  const ledger = metricLedger({
    metrics: { counted: () => registry.getMetricsAsJSON() },
    sql: async (text, params) => {
      if (fails()) throw new Error('refused');
      return sql(text, params);
    },
    log,
  });
  return {
    ledger,
    count(kind: string, value: number) {
      done.inc({ kind }, value);
      took.observe({ kind }, value);
    },
  };
}

const sumOf = (sums: { name: string; labels: string; value: number }[], name: string, labels: object) =>
  sums.find((sum) => sum.name === name && sum.labels === JSON.stringify(labels))?.value ?? 0;

/** What one process does next: count, flush and go on, fail to flush, or be stopped and started again. */
const step = fc.record({
  who: fc.nat(2),
  what: fc.constantFrom('count', 'count', 'flush', 'fail', 'restart'),
  kind: fc.constantFrom(...KINDS),
  value: fc.integer({ min: 1, max: 9 }),
});

t.test('however several processes count, flush, fail and start again, the sums are exact and never fall', async (t) => {
  const here = await world(t);
  const sql = await sqlOf(here);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await here.database.peek('delete from platform.metric');
      let failing = false;
      const start = () => process(sql, () => failing);
      const processes = [start(), start(), start()];
      const totals = new Map<string, number[]>();
      let flushing: Promise<unknown>[] = [];
      let last = 0;
      for (const { who, what, kind, value } of steps) {
        const one = processes[who]!;
        if (what === 'count') {
          one.count(kind, value);
          totals.set(kind, [...(totals.get(kind) ?? []), value]);
        } else if (what === 'flush') flushing.push(one.ledger.flush());
        else {
          await Promise.all(flushing);
          flushing = [];
          failing = what === 'fail';
          const failed = await one.ledger.flush().then(
            () => false,
            () => true,
          );
          failing = false;
          if (what === 'restart') {
            if (failed) return false;
            processes[who] = start();
          }
          const now = (await one.ledger.sums()).reduce((sum, { value }) => sum + value, 0);
          if (now < last) return false;
          last = now;
        }
      }
      await Promise.all(flushing);
      await Promise.all(processes.map(({ ledger }) => ledger.stop()));
      const sums = await processes[0]!.ledger.sums();
      return [...totals].every(([kind, values]) => {
        const total = values.reduce((sum, value) => sum + value, 0);
        const upTo = (le: number) => values.filter((value) => value <= le).length;
        return (
          sumOf(sums, 'test_done_total', { kind }) === total &&
          sumOf(sums, 'test_took_seconds_sum', { kind }) === total &&
          sumOf(sums, 'test_took_seconds_count', { kind }) === values.length &&
          sumOf(sums, 'test_took_seconds_bucket', { kind, le: '+Inf' }) === values.length &&
          BUCKETS.every((le) => sumOf(sums, 'test_took_seconds_bucket', { kind, le: String(le) }) === upTo(le))
        );
      });
    }),
    { numRuns: 200 },
  );
});

/** Figures that this process counts, that another has counted, and one of an earlier release. */
async function counted(here: World): Promise<void> {
  const sql = await sqlOf(here);
  const count = here.kernel.metrics.counter({
    name: 'test_done_total',
    help: 'What is done',
    labels: { kind: KINDS },
  });
  const took = here.kernel.metrics.histogram({
    name: 'test_took_seconds',
    help: 'How long',
    labels: { kind: KINDS },
    buckets: BUCKETS,
  });
  here.kernel.metrics.gauge({
    name: 'test_now',
    help: 'Now',
    labels: {},
    read: async () => [{ labels: {}, value: 7 }],
  });
  here.kernel.metrics.counter({ name: 'test_never_total', help: 'Never', labels: {} });
  count({ kind: 'a' });
  took({ kind: 'b' }, 3);
  const other = process(sql);
  for (const [kind, value] of [
    ['a', 2],
    ['b', 9],
    ['b', 1],
  ] as const)
    other.count(kind, value);
  await other.ledger.stop();
  const gone = metricLedger({
    metrics: {
      counted: async () =>
        [
          {
            name: 'test_gone_total',
            help: '',
            type: 'counter',
            aggregator: 'sum',
            values: [{ value: 1, labels: {} }],
          },
        ] as never,
    },
    sql,
    log,
  });
  await gone.flush();
}

t.test(
  'the text is what Prometheus reads: every family with its help, buckets in order, the sums of all',
  async (t) => {
    const here = await world(t);
    await counted(here);
    const headers = { ...(await here.as('acme', 'platform_admin').headers()), accept: '*/*' };
    const answer = await here.app.inject({ url: '/api/v1/metrics', headers });
    t.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    const lines = answer.body.split('\n');
    for (const line of [
      '# HELP test_done_total What is done',
      '# TYPE test_done_total counter',
      'test_done_total{kind="a"} 3',
      'test_done_total{kind="b"} 10',
      '# TYPE test_now gauge',
      'test_now 7',
      '# TYPE test_never_total counter',
      'weir_event_streams 0',
    ])
      t.ok(lines.includes(line), line);
    t.strictSame(
      lines.filter((line) => /^test_took.*"b"/.test(line)),
      [
        'test_took_seconds_bucket{kind="b",le="1"} 1',
        'test_took_seconds_bucket{kind="b",le="5"} 2',
        'test_took_seconds_bucket{kind="b",le="+Inf"} 3',
        'test_took_seconds_sum{kind="b"} 13',
        'test_took_seconds_count{kind="b"} 3',
      ],
    );
    t.notMatch(answer.body, /test_gone/, 'what this release does not count any more is not shown');
    t.match(
      bodyOf(await here.admin(getMetrics)).items.find(({ name }) => name === 'test_done_total'),
      {
        ...{ type: 'counter', labels: { kind: 'a' }, value: 3 },
      },
    );
  },
);

t.test('figures are for platform admins, and a gauge that cannot be read hides no other figure', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  here.kernel.metrics.gauge({
    name: 'test_broken',
    help: 'x',
    labels: {},
    read: () => Promise.reject(new Error('away')),
  });
  for (const role of ['viewer', 'pipeline_editor', 'admin'])
    t.match(await here.as('acme', role).call(getMetrics), { status: 403, problem: { code: 'forbidden_role' } });
  t.equal((await here.app.inject('/api/v1/metrics')).statusCode, 401);
  const { items } = bodyOf(await here.admin(getMetrics));
  t.match(
    items.find(({ name }) => name === 'weir_event_streams'),
    { value: 0 },
  );
});

t.test('figures outlive their process, and the series do not grow with the tenants', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const labels = { tenant: [], kind: KINDS };
  const count = here.kernel.metrics.counter({ name: 'test_calls_total', help: 'x', labels });
  const series = async () => bodyOf(await here.admin(getMetrics)).items.length;
  count({ tenant: 'tenant0', kind: 'a' });
  count({ tenant: 'tenant0', kind: 'what' });
  const before = await series();
  for (let n = 0; n < 10_000; n += 1) count({ tenant: `tenant${n}`, kind: n % 2 === 0 ? 'a' : `kind${n}` });
  t.equal(await series(), before);
  await here.registration.stop?.();
  t.strictSame(
    await here.database.peek("select labels, value from platform.metric where name = 'test_calls_total' order by 1"),
    [
      { labels: '{"kind":"a","tenant":"other"}', value: 5_001 },
      { labels: '{"kind":"other","tenant":"other"}', value: 5_001 },
    ],
  );
});
