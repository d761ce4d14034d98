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
  return { database, tenant, page };
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

t.test('a token that this list did not make is invalid_page_token, whatever it holds', async (t) => {
  const { page } = await setUp(t);
  const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const id = '018f4a6e-0000-7000-8000-000000000001';
  for (const [order, forged] of [
    ['ended_at', ['ended_at', 'not a time', id]],
    ['ended_at', ['ended_at', '99999-99-99', id]],
    ['ended_at', ['ended_at', null, "' or true --"]],
    ['ended_at', ['-ended_at', null, id]],
    ['lease_epoch', ['lease_epoch', '1e400', id]],
    ['lease_epoch', ['lease_epoch', '99999999999999999999', id]],
    ['run_id', ['run_id', 'x', 'x']],
    ['kind', ['kind', { $ne: null }, id]],
    ['kind', ['kind', 'a', id, 'more']],
  ] as const) {
    await t.rejects(page({ order, page_token: token(forged) }), { entry: { code: 'invalid_page_token' } } as never);
  }
  await t.rejects(page({ order: 'no_such_field' }), { entry: { code: 'validation_failed' } } as never);
});
