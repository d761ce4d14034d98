import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t from 'tap';
import { until } from '../../test/until.ts';
import { UniqueViolation } from '../src/persistence/errors.ts';
import { Run } from '../src/runs/run-entity.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

const log = pino({ level: 'silent' });
const id = (n: number) => `018f4a6e-0000-7000-8000-${String(n).padStart(12, '0')}`;
const run = (n: number, workflowId = String(n)) => {
  const state = { status: 'pending', exclusive: false, leaseEpoch: 0, createdAt: new Date() } as const;
  return { runId: id(n), kind: 'k', subjectId: id(9), workflowId, requestedBy: 'x', ...state };
};

async function setUp(t: Parameters<typeof testDatabase>[0], poolSize = 2) {
  const database = await testDatabase(t, tools);
  const store = await openDatabase({ ...database.app, name: database.app.database, entities: [], log, poolSize });
  t.teardown(() => store.close());
  const tenant = await database.tenant('acme');
  return { database, store, tenant, db: store.db(tenant) };
}

t.test('a refused statement never becomes a success, even when the caller swallows its error', async (t) => {
  const { database, db } = await setUp(t);
  let started = false;
  const swallowing = db.transaction(async (tx) => {
    tx.afterCommit(async () => {
      started = true;
    });
    await tx.insert(Run, run(1, 'same'));
    await tx.insert(Run, run(2, 'same')).catch((error) => t.ok(error instanceof UniqueViolation));
    return 'done';
  });
  await t.rejects(swallowing, { name: 'UniqueViolation', constraint: 'run_workflow' });
  t.equal(started, false);
  t.strictSame(await database.peek('select 1 from kernel.run'), []);
});

t.test('parameters are values and nothing else: quotes, places, arrays, documents, times', async (t) => {
  const { db } = await setUp(t);
  const text = "'; drop table kernel.run; -- $1 ? \\ ü";
  await db.transaction(async (tx) => {
    const { rows } = await tx.sql(
      `select $1::text as a, $1::text || '?' as b, $2::text[] as c, $3::jsonb -> 'k' as d, $4::timestamptz = $4 as e,
         current_setting('app.tenant') = $5 as f, '$1' as g, $3::jsonb ? 'k' as h`,
      [text, ['x', text], JSON.stringify({ k: text }), new Date(), tx.tenant.tenantId],
    );
    t.strictSame(rows, [{ a: text, b: `${text}?`, c: ['x', text], d: text, e: true, f: true, g: '$1', h: true }]);
  });
});

t.test('a row that was changed by a statement is read as it is, not as it was remembered', async (t) => {
  const { db } = await setUp(t);
  await db.transaction(async (tx) => {
    await tx.insert(Run, run(1));
    await tx.sql("update kernel.run set status = 'running'", []);
    t.equal((await tx.findOne(Run, { runId: id(1) }))?.status, 'running');
  });
});

t.test('a connection that is killed in mid-transaction is 503, writes nothing, and the pool recovers', async (t) => {
  const { database, db } = await setUp(t, 1);
  const killed = db.transaction(async (tx) => {
    await tx.insert(Run, run(1));
    const { rows } = await tx.sql('select pg_backend_pid() as pid', []);
    await database.peek('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await tx.sql('select 1', []);
  });
  await t.rejects(killed, { entry: { code: 'dependency_unavailable', status: 503 } } as never);
  await db.transaction((tx) => tx.insert(Run, run(2)));
  t.match(await database.peek('select run_id from kernel.run'), [{ run_id: id(2) }]);
});

t.test('a server that falls silent in mid-transaction is 503, and the pool recovers', async (t) => {
  const database = await testDatabase(t, tools);
  let isSilent = false;
  const line = createServer((near) => {
    const far = connect(database.app.port, database.app.host);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.on('data', (bytes) => isSilent || to.write(bytes));
      from.on('error', () => undefined).on('close', () => to.destroy());
    }
  });
  await once(line.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => line.close());
  const { port } = line.address() as AddressInfo;
  const login = { ...database.app, host: '127.0.0.1', port, name: database.app.database };
  const store = await openDatabase({ ...login, entities: [], log, poolSize: 1, maxSilenceMs: 8_000 });
  t.teardown(() => store.close());
  const db = store.db(await database.tenant('acme'));
  const cut = db.transaction(async (tx) => {
    await tx.insert(Run, run(1));
    isSilent = true;
    await tx.sql('select 1', []);
  });
  await t.rejects(cut, { entry: { code: 'dependency_unavailable', status: 503 } } as never);
  isSilent = false;
  await db.transaction((tx) => tx.insert(Run, run(2)));
  t.match(await database.peek('select run_id from kernel.run'), [{ run_id: id(2) }]);
});

t.test('a lock that is not given in time is a conflict, and sessions have bounded times', async (t) => {
  const { store, db } = await setUp(t);
  const { rows } = await store.sql(
    `select name, setting from pg_settings
     where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`,
    [],
  );
  t.strictSame(rows, [
    { name: 'idle_in_transaction_session_timeout', setting: '30000' },
    { name: 'lock_timeout', setting: '5000' },
    { name: 'statement_timeout', setting: '15000' },
  ]);
  await db.transaction((tx) => tx.insert(Run, run(1)));
  await db.transaction(async (tx) => {
    await tx.findOne(Run, { runId: id(1) }, { lock: true });
    const waiting = db.transaction(async (other) => {
      await other.sql("set local lock_timeout = '50ms'", []);
      await other.findOne(Run, { runId: id(1) }, { lock: true });
    });
    await t.rejects(waiting, { entry: { code: 'conflict' } } as never);
  });
});

t.test('a role that makes roles or inherits the policies of another is refused by name', async (t) => {
  const { database } = await setUp(t);
  const role = `weir_test_x${database.name.slice(-6)}`;
  await database.peek(`create role ${role} login password 'x' createrole`);
  t.teardown(() => database.peek(`drop role if exists ${role}`));
  const login = { ...database.app, name: database.app.database, user: role, password: 'x' };
  const store = await openDatabase({ ...login, entities: [], log });
  t.teardown(() => store.close());
  await t.rejects(store.assertSafeRole(), { message: /makes roles/ });
  await database.peek(`alter role ${role} nocreaterole`);
  await store.assertSafeRole();
  await database.peek(`grant weir_system to ${role}`);
  await t.rejects(store.assertSafeRole(), { message: /weir_system lends its policies/ });
  await database.peek(`revoke weir_system from ${role}`);
});

t.test('a store that is closed lets what runs end, and refuses what comes', async (t) => {
  const database = await testDatabase(t, tools);
  const tenant = await database.tenant('acme');
  const [hold, letGo] = ['select pg_advisory_lock(1)', 'select pg_advisory_unlock(1)'];
  const wait = 'select pg_advisory_xact_lock_shared(1)';
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
  const poolSize = 3;
  for (const moment of ['at once', 'while every connection is busy', 'after the first has ended']) {
    const store = await openDatabase({ ...database.app, name: database.app.database, entities: [], log, poolSize });
    await store.ping();
    await database.peek(hold);
    const work = Array.from({ length: 2 * poolSize }, (_, at) =>
      at % 2 === 0
        ? store.sql(wait, [])
        : store.db(tenant).transaction(async (tx) => {
            await tx.sql(wait, []);
            return tx.sql('select 1', []);
          }),
    );
    if (moment !== 'at once')
      await until('busy connections', async () => (await database.peek(waiting)).length === poolSize, 'often');
    if (moment === 'after the first has ended') await Promise.all([Promise.race(work), database.peek(letGo)]);
    const closed = store.close();
    await t.rejects(store.ping(), { entry: { code: 'shutting_down' } } as never);
    if (moment !== 'after the first has ended') await database.peek(letGo);
    t.equal((await Promise.all(work)).length, work.length, `closed ${moment}`);
    await closed;
  }
});
