import { createMetrics } from '@weir/metrics';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t from 'tap';
import { until } from '../../test/until.ts';
import type { Tenant } from '../src/contract/caller.ts';
import { type Duty, duty } from '../src/duties/duty.ts';
import { startDuties } from '../src/duties/start-duties.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

const silent = pino({ level: 'silent' });
const THREE: Tenant[] = ['Müller & Söhne', '東京', 'acme'].map((alias, at) => ({
  tenantId: `018f4a6e-0000-7000-8000-00000000000${at}`,
  alias,
  scope: `t${at}`,
}));
const tenants = { list: async () => THREE };

/** A log that keeps what it is given. */
function keptLog() {
  const lines: { level: string; duty: string; tenant_id: string }[] = [];
  const keep = (level: string) => (facts: object) => void lines.push({ level, ...facts } as (typeof lines)[number]);
  return { lines, log: { info: keep('info'), warn: keep('warn') } as unknown as typeof silent };
}

t.test(
  'a tenant that fails → it is logged once and counted, and the others are served in the same round',
  async (t) => {
    const served: string[] = [];
    const counted: string[] = [];
    const { lines, log } = keptLog();
    let isBroken = true;
    const one = duty({
      name: 'test.one',
      everyMs: 1,
      where: 'api',
      async perTenant({ alias }) {
        if (isBroken && alias === THREE[0]?.alias) throw new Error('the key is lost');
        served.push(alias);
      },
    });
    const round = () => one.round({ tenants, log, counted: (outcome) => void counted.push(outcome) });
    await round();
    t.strictSame(served.splice(0), ['東京', 'acme']);
    t.strictSame(counted.splice(0), ['failed', 'served', 'served']);
    await round();
    t.strictSame(served.splice(0), ['東京', 'acme'], 'and in the next one');
    t.match(lines, [
      { level: 'warn', duty: 'test.one', tenant_id: THREE[0]?.tenantId, err: { message: 'the key is lost' } },
    ]);
    t.equal(lines.length, 1);
    isBroken = false;
    await round();
    t.equal(served.length, 3);
    t.match(lines.slice(1), [{ level: 'info', duty: 'test.one', tenant_id: THREE[0]?.tenantId }]);
  },
);

t.test('each round begins with the next tenant, and an aborted one ends before its next tenant', async (t) => {
  const order: string[] = [];
  const ending = new AbortController();
  const one = duty({
    name: 'test.order',
    everyMs: 1,
    where: 'maintenance',
    tenants: async (all) => (await all()).toReversed(),
    async perTenant({ scope }, signal) {
      order.push(scope);
      if (order.length === 10) ending.abort();
      t.equal(signal.aborted, order.length === 10);
    },
  });
  for (let round = 0; round < 4; round += 1) await one.round({ tenants, log: silent, signal: ending.signal });
  t.equal(order.join(), 't2,t1,t0,t1,t0,t2,t0,t2,t1,t2');
});

t.test('two processes → one of them does a duty, until it ends or loses its connection', async (t) => {
  const database = await testDatabase(t, tools);
  const places = { ...database.app, name: database.app.database, entities: [], log: silent };
  const doneBy: string[] = [];
  const process = async (name: string) => {
    const store = await openDatabase(places);
    const metrics = createMetrics();
    const duties: Duty[] = [1, 2].map((at) =>
      duty({ name: `test.${at}`, everyMs: 2, where: 'api', perTenant: async () => void doneBy.push(name) }),
    );
    const { stop } = startDuties({ duties, tenants, database: store, metrics, log: silent });
    const end = () => stop().then(() => store.close());
    return { metrics, end, holds: () => store.holds('test.1') };
  };
  // The timers of the duties alone keep no process alive.
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(alive));
  const first = await process('first');
  await until('rounds of the first', async () => doneBy.length > 10);
  const second = await process('second');
  const seen = doneBy.length;
  await until('rounds beside the second', async () => doneBy.length > seen + 30);
  t.strictSame([...new Set(doneBy)], ['first']);
  t.equal(await second.holds(), false);
  const [figure] = await first.metrics.counted();
  t.equal(figure?.name, 'weir_duty_tenants_total');
  const failed = figure?.values.filter(({ labels }) => labels.outcome === 'failed');
  t.match(failed, [{ labels: { duty: 'test.1' } }, { labels: { duty: 'test.2' } }], 'a series before it counts');
  const lost = doneBy.length;
  await database.peek(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`);
  await until('rounds after the loss', async () => doneBy.length > lost + 30);
  await first.end();
  doneBy.length = 0;
  await until('rounds of the other one', async () => doneBy.length > 10);
  t.strictSame([...new Set(doneBy)], ['second']);
  t.equal(await second.holds(), true);
  await second.end();
});
