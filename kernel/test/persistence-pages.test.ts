import * as tools from '@weir/migrations';
import fc from 'fast-check';
import { pino } from 'pino';
import t from 'tap';
import type { PageRequest } from '../src/persistence/tenant-db.ts';
import { Run } from '../src/runs/run-entity.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

const log = pino({ level: 'silent' });
const orders = {
  orders: { ended_at: 'endedAt', kind: 'kind', lease_epoch: 'leaseEpoch', run_id: 'runId' },
  first: 'ended_at',
  id: 'runId',
};

async function setUp(t: Parameters<typeof testDatabase>[0]) {
  const database = await testDatabase(t, tools);
  const store = await openDatabase({ ...database.app, name: database.app.database, entities: [], log });
  t.teardown(() => store.close());
  const tenant = await database.tenant('acme');
  const page = (request: PageRequest) => store.db(tenant).transaction((tx) => tx.page(Run, {}, request, orders));
  return { database, store, tenant, page };
}

t.test('pages skip and repeat no row: nulls, ties, microseconds and odd texts, in either direction', async (t) => {
  const { database, tenant, page } = await setUp(t);
  const row = fc.record({
    micros: fc.option(fc.nat(3), { nil: null }),
    kind: fc.oneof(
      fc.constantFrom('a', "it's", 'B?', '$1', '\\', 'ü', ''),
      fc.string({ maxLength: 4 }).filter((s) => !s.includes('\0')),
    ),
    epoch: fc.integer({ min: -2, max: 2 }),
  });
  const order = fc.constantFrom(...Object.keys(orders.orders).flatMap((name) => [name, `-${name}`]));
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 10 }),
      order,
      fc.integer({ min: 1, max: 4 }),
      async (rows, by, limit) => {
        await database.peek('delete from kernel.run');
        for (const { micros, kind, epoch } of rows) {
          await database.peek(
            `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by, lease_epoch, ended_at)
           select $1, id, $2, id, false, 'pending', id::text, 'x', $3, '2026-01-01T00:00:00.123Z'::timestamptz + make_interval(secs => $4::numeric / 1e6)
           from gen_random_uuid() as id`,
            [tenant.tenantId, kind.isWellFormed() ? kind : '', epoch, micros],
          );
        }
        const column = by.replace('-', '');
        const direction = by.startsWith('-') ? 'desc' : 'asc';
        const whole = await database.peek(
          `select run_id from kernel.run order by ${column} ${direction}, run_id ${direction}`,
        );
        const seen: string[] = [];
        let token: string | undefined;
        do {
          const part = await page({ limit, order: by, page_token: token });
          seen.push(...part.items.map((item) => item.runId));
          token = part.next_page_token ?? undefined;
        } while (token !== undefined);
        return seen.join() === whole.map((item) => item.run_id).join();
      },
    ),
    { numRuns: 40 },
  );
});

/** The token of the second page of two runs, for this request. */
async function secondPage({ database, tenant, page }: Awaited<ReturnType<typeof setUp>>, request: PageRequest) {
  await database.peek('delete from kernel.run');
  for (const kind of ['a', 'b']) {
    await database.peek(
      `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by, ended_at)
       select $1, id, $2, id, false, 'pending', id::text, 'x', now() from gen_random_uuid() as id`,
      [tenant.tenantId, kind],
    );
  }
  const { next_page_token: token } = await page({ ...request, limit: 1 });
  return token ?? '';
}

t.test('a token that was changed is invalid_page_token, whatever it holds', async (t) => {
  const world = await setUp(t);
  const id = '018f4a6e-0000-7000-8000-000000000001';
  for (const [order, ...changed] of [
    ['ended_at', 'not a time', id],
    ['ended_at', '99999-99-99', id],
    ['ended_at', null, "' or true --"],
    ['lease_epoch', '1e400', id],
    ['lease_epoch', '99999999999999999999', id],
    ['run_id', 'x', 'x'],
    ['kind', { $ne: null }, id],
    ['kind', 'a', id, 'more'],
  ] as const) {
    const made = JSON.parse(Buffer.from(await secondPage(world, { order }), 'base64url').toString()) as unknown[];
    const token = Buffer.from(JSON.stringify([made[0], ...changed])).toString('base64url');
    await t.rejects(world.page({ order, page_token: token }), { entry: { code: 'invalid_page_token' } } as never);
  }
  await t.rejects(world.page({ order: 'no_such_field' }), { entry: { code: 'validation_failed' } } as never);
});

t.test('a token is good for its own list alone: another order, filter, table or tenant refuses it', async (t) => {
  const world = await setUp(t);
  const { store, tenant, page } = world;
  const page_token = await secondPage(world, { order: 'kind' });
  t.equal((await page({ order: 'kind', page_token })).items.length, 1);
  const other = await world.database.tenant('other');
  const lists = [
    () => page({ order: '-kind', page_token }),
    () => store.db(tenant).transaction((tx) => tx.page(Run, { kind: 'a' }, { order: 'kind', page_token }, orders)),
    () => store.db(other).transaction((tx) => tx.page(Run, {}, { order: 'kind', page_token }, orders)),
  ];
  for (const list of lists) await t.rejects(list(), { entry: { code: 'invalid_page_token' } } as never);
});
