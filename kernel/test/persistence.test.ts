import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t from 'tap';
import { Run } from '../src/runs/run-entity.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

t.test('smoke', async (t) => {
  const database = await testDatabase(t, tools);
  const db = await openDatabase({
    ...database.app,
    name: database.app.database,
    entities: [],
    log: pino({ level: 'silent' }),
  });
  t.teardown(() => db.close());
  await db.assertSafeRole();
  const acme = await database.tenant('acme');
  const other = await database.tenant('other');
  const row = {
    runId: '018f4a6e-0000-7000-8000-000000000001',
    kind: 'k',
    subjectId: acme.tenantId,
    exclusive: true,
    status: 'pending',
    workflowId: 'w',
    requestedBy: 'x',
    leaseEpoch: 0,
    createdAt: new Date(),
  } as const;
  await db.db(acme).transaction(async (tx) => {
    await tx.insert(Run, row);
    t.equal(
      (
        await tx.sql('select count(*)::int as n from kernel.run where kind = $1 and run_id = $2 and kind = $1', [
          'k',
          row.runId,
        ])
      ).rows[0]?.n,
      1,
    );
  });
  t.equal((await db.db(other).transaction((tx) => tx.sql('select 1 as one from kernel.run', []))).rows.length, 0);
  t.equal((await db.sql('select 1 as one from kernel.run', [])).rows.length, 0);
  t.match(await db.db(acme).transaction((tx) => tx.findOne(Run, { runId: row.runId }, { lock: true })), { kind: 'k' });
  t.strictSame(
    await tools.auditTables({ query: async (text: string) => ({ rows: await database.peek(text) }) } as never),
    [],
  );
});
