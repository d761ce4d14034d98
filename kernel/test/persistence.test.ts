import * as tools from '@weir/migrations';
import fc from 'fast-check';
import { pino } from 'pino';
import t from 'tap';
import { Refusal } from '../src/config/refusal.ts';
import { Problem } from '../src/contract/problem.ts';
import { checkHead, compareHead, type LedgerRow, type MigrationRecord } from '../src/persistence/head-check.ts';
import { Run } from '../src/runs/run-entity.ts';
import { openDatabase, type TestDatabase, testDatabase } from '../src/testing.ts';

const log = pino({ level: 'silent' });
const open = async (t: { teardown(work: () => unknown): void }, database: TestDatabase, user = database.app) => {
  const db = await openDatabase({ ...user, name: user.database, entities: [], log });
  t.teardown(() => db.close());
  return db;
};
const runRow = (runId: string, subjectId: string, createdAt = new Date()) =>
  ({
    runId,
    kind: 'k',
    subjectId,
    exclusive: false,
    status: 'pending',
    workflowId: runId,
    requestedBy: 'x',
    leaseEpoch: 0,
    createdAt,
  }) as const;
const id = (n: number) => `018f4a6e-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** What a thrown problem of this code looks like to `rejects`. */
const problem = (code: string) => ({ entry: { code } }) as unknown as Error;

t.test('no way to a row leads past the tenant of the transaction', async (t) => {
  const database = await testDatabase(t, tools);
  const db = await open(t, database);
  const [acme, other] = [await database.tenant('acme'), await database.tenant('other')];
  await db.db(acme).transaction((tx) => tx.insert(Run, runRow(id(1), id(9))));
  t.strictSame((await db.sql('select run_id from kernel.run', [])).rows, [], 'without a tenant there is nothing');
  await db.db(other).transaction(async (tx) => {
    t.equal(await tx.findOne(Run, { runId: id(1) }), undefined);
    t.strictSame(await tx.find(Run, {}), []);
    t.strictSame((await tx.sql('select run_id from kernel.run', [])).rows, []);
    t.equal((await tx.sql("update kernel.run set status = 'failed'", [])).rowCount, 0);
    t.equal(await tx.remove(Run, {}), 0);
  });
  await t.rejects(
    db.db(other).transaction((tx) =>
      tx.sql(
        `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by)
         values ($1, $2, 'k', $2, false, 'pending', 'w', 'x')`,
        [acme.tenantId, id(2)],
      ),
    ),
    'a row of another tenant cannot be written either',
  );
  // Several transactions for each connection, and not so many that one waits for it until its time is up.
  for (let round = 0; round < 5; round += 1) {
    const mixed = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        db
          .db(n % 2 === 0 ? acme : other)
          .transaction(async (tx) => (await tx.find(Run, {})).length === (n % 2 === 0 ? 1 : 0)),
      ),
    );
    t.ok(mixed.every(Boolean), 'interleaved transactions over one pool');
  }
  t.strictSame(await database.peek('select status from kernel.run'), [{ status: 'pending' }]);
});

t.test('a transaction that throws leaves nothing, and its after-commit work does not run', async (t) => {
  const database = await testDatabase(t, tools);
  const db = await open(t, database);
  const acme = await database.tenant('acme');
  let ran = false;
  const failing = db.db(acme).transaction(async (tx) => {
    await tx.insert(Run, runRow(id(1), id(9)));
    tx.afterCommit(async () => {
      ran = true;
    });
    throw new Error('stop');
  });
  await t.rejects(failing, /stop/);
  t.equal(ran, false);
  t.strictSame(await database.peek('select 1 from kernel.run'), []);
});

t.test('pages put together are the whole list, for any data, order and limit', async (t) => {
  const database = await testDatabase(t, tools);
  const db = await open(t, database);
  const acme = await database.tenant('acme');
  const orders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };
  const data = fc.array(fc.nat(3), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(data, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (times, limit, descending) => {
      await database.peek('delete from kernel.run');
      await db.db(acme).transaction(async (tx) => {
        for (const [n, at] of times.entries())
          await tx.insert(Run, runRow(id(n), id(99), new Date(1_700_000_000_000 + at)));
      });
      const seen: string[] = [];
      let page_token: string | undefined;
      do {
        const order = descending ? '-created_at' : 'created_at';
        const page = await db.db(acme).transaction((tx) => tx.page(Run, {}, { limit, order, page_token }, orders));
        seen.push(...page.items.map((row) => row.runId));
        page_token = page.next_page_token ?? undefined;
      } while (page_token !== undefined);
      const sign = descending ? -1 : 1;
      const whole = times
        .map((at, n) => ({ at, runId: id(n) }))
        .sort((a, b) => sign * (a.at - b.at || a.runId.localeCompare(b.runId)));
      return JSON.stringify(seen) === JSON.stringify(whole.map((row) => row.runId));
    }),
    { numRuns: 25 },
  );
  const strange = (page_token: string) =>
    db
      .db(acme)
      .transaction((tx) => tx.page(Run, {}, { page_token }, orders))
      .catch((error) => (error as Problem).code);
  for (const token of [
    'x',
    'e30',
    Buffer.from('["created_at","a","b"]').toString('base64url'),
    'é',
    'a'.repeat(3000),
  ]) {
    t.equal(await strange(token), 'invalid_page_token');
  }
});

t.test('a start as superuser, owner, bypassing role or member of one is refused by name', async (t) => {
  const database = await testDatabase(t, tools);
  const app = await open(t, database);
  await app.assertSafeRole();
  const superuser = new URL(database.superuserUrl);
  const login = { ...database.app, user: superuser.username, password: superuser.password };
  await t.rejects((await open(t, database, login)).assertSafeRole(), { name: 'Refusal', message: /is superuser/ });
  await t.rejects((await open(t, database, database.owner)).assertSafeRole(), { message: /weir_owner owns tables/ });
  const role = `weir_test_${database.name.slice(-6)}`;
  await database.peek(`create role ${role} login bypassrls password 'x'`);
  t.teardown(() => database.peek(`drop role ${role}`).catch(() => undefined));
  const bypassing = { ...database.app, user: role, password: 'x' };
  await t.rejects((await open(t, database, bypassing)).assertSafeRole(), { message: /bypasses row security/ });
  await database.peek(`alter role ${role} nobypassrls`);
  await database.peek(`grant weir_owner to ${role}`);
  await t.rejects((await open(t, database, bypassing)).assertSafeRole(), { message: /weir_owner owns tables/ });
  await database.peek(`revoke weir_owner from ${role}`);
});

t.test('the catalogue of the database shows no hole in the tenant wall, and a planted one is found', async (t) => {
  const database = await testDatabase(t, tools);
  const catalogue = { query: async (text: string) => ({ rows: await database.peek(text) }) } as never;
  t.strictSame(await tools.auditTables(catalogue), []);
  await database.peek('create table kernel.leaky (tenant_id uuid, note text primary key)');
  await database.peek('grant truncate on kernel.run to weir_app');
  await database.peek('grant update (hash) on platform.audit_chain to weir_app');
  await database.peek('grant delete on sources.receipt to weir_app');
  await database.peek('grant execute on function platform.append_audit_event to public');
  await database.peek('grant execute on function platform.create_tenant to public');
  await database.peek('grant insert on kernel.tenant to weir_app');
  await database.peek('create view kernel.peephole as select * from kernel.run');
  const found = (await tools.auditTables(catalogue)).join('\n');
  for (const hole of [
    /kernel.leaky has no forced row security/,
    /kernel.leaky has no tenant_id not null/,
    /kernel.leaky has no tenant policy/,
    /leaky_pkey does not start with tenant_id/,
    /weir_app holds TRUNCATE on kernel.run/,
    /weir_app holds UPDATE on platform.audit_chain/,
    /weir_app holds DELETE on sources.receipt/,
    /function platform.append_audit_event is security definer/,
    /function platform.create_tenant is security definer/,
    /weir_app holds INSERT on kernel.tenant/,
    /view kernel.peephole/,
  ]) {
    t.match(found, hole);
  }
});

t.test('a database that cannot be reached is 503 dependency_unavailable', async (t) => {
  const db = await openDatabase({ host: '127.0.0.1', port: 1, name: 'x', user: 'x', password: 'x', entities: [], log });
  t.teardown(() => db.close());
  await t.rejects(db.sql('select 1', []), problem('dependency_unavailable'));
  t.ok(Problem);
});

const step = (name: string, after: string | undefined, sql = `-- ${name}`): MigrationRecord => ({ name, after, sql });
const applied = (steps: readonly MigrationRecord[]): LedgerRow[] =>
  steps.map((s) => ({ name: s.name, after: s.after ?? null, sha256: tools.migrationHash(s) }));
const [a, b, c] = [step('s01', undefined), step('s02', 's01'), step('s03', 's02')];

t.test('each way in which schema and release differ is refused with its own word', async (t) => {
  const cases: [string, LedgerRow[] | undefined, MigrationRecord[]][] = [
    ['no_ledger', undefined, [a, b]],
    ['behind', applied([a]), [a, b]],
    ['ahead', applied([a, b, c]), [a, b]],
    ['missing', applied([a, c]), [a, b, c]],
    ['edited', applied([a, { ...b, sql: 'other' }]), [a, b]],
    ['two_heads', applied([a, b]), [a, b, { ...c, after: 's01' }]],
    ['two_heads', applied([a, b, { ...c, after: 's01' }]), [a, b]],
  ];
  for (const [fault, ledger, list] of cases) t.match(compareHead(ledger, list), { ok: false, fault }, fault);
  t.strictSame(compareHead(applied([a, b, c]), [a, b, c]), { ok: true });
});

t.test('a release starts on a ledger that is ahead only by steps that are additive for its head', async (t) => {
  const ahead = (...since: (string | null)[]): LedgerRow[] =>
    applied([a, b, c, step('s04', 's03')]).map((row, at) => ({ ...row, additive_since: since[at] ?? null }));
  const ends = (list: MigrationRecord[], ...since: (string | null)[]) => compareHead(ahead(null, ...since), list);
  t.strictSame(ends([a, b], null, 's02', 's02'), { ok: true });
  t.strictSame(ends([a, b], null, 's01', 's02'), { ok: true }, 'additive for more releases than this one');
  t.match(ends([a, b], null, 's02', 's03'), { fault: 'ahead', line: /it has s04, / }, 'for later releases only');
  t.match(ends([a, b], null, null, 's02'), { fault: 'ahead', line: /it has s03, / }, 'one step says nothing');
  t.match(ends([a, b], null, 's02', 's99'), { fault: 'ahead' }, 'a step that is not there');
  t.match(ends([], 's01', 's01', 's01'), { fault: 'ahead' });
  t.match(ends([a, { ...b, sql: 'other' }], null, 's02', 's02'), { fault: 'edited' }, 'hashes are compared as ever');
  t.match(ends([a, b, step('s05', 's02')], null, 's02', 's02'), { fault: 'two_heads' }, 'and so is the order');

  const database = await testDatabase(t, tools);
  const db = await open(t, database);
  const release = tools.migrations;
  const [head, next] = [release.at(-1)!.name, (sql: string) => step('s90_next', release.at(-1)!.name, sql)];
  await tools.migrate(database.owner, [...release, { ...next('select 1'), additiveSince: head }]);
  await checkHead(db.sql, release);
  t.strictSame(await tools.migrate(database.owner, release), [], 'the older release has nothing to migrate');
  await t.rejects(checkHead(db.sql, [...release, next('select 2')]), /was edited/);
  await database.peek(`update kernel.schema_ledger set additive_since = null where name = 's90_next'`);
  await t.rejects(checkHead(db.sql, release), /the database is ahead: it has s90_next/);
  await t.rejects(tools.migrate(database.owner, release), /the database is ahead: it has s90_next/);
});

t.test('a ledger without additive steps is accepted only when it is exactly the list', async (t) => {
  const history = fc
    .integer({ min: 0, max: 5 })
    .map((n) => Array.from({ length: n }, (_, at) => step(`s${at}`, at === 0 ? undefined : `s${at - 1}`)));
  fc.assert(
    fc.property(history, history, fc.nat(5), (left, right, edit) => {
      const ledger = applied(left);
      const row = ledger[edit];
      if (row) row.sha256 = 'edited';
      const equal = left.length === right.length && row === undefined;
      return compareHead(ledger, right).ok === equal;
    }),
  );
  const database = await testDatabase(t, tools);
  const db = await open(t, database);
  await checkHead(db.sql, tools.migrations);
  await database.peek('update kernel.schema_ledger set additive_since = null');
  await t.rejects(checkHead(db.sql, tools.migrations.slice(0, -1)), Refusal);
  await database.peek("update kernel.schema_ledger set sha256 = 'x' where ordinal = 1");
  await t.rejects(checkHead(db.sql, tools.migrations), /was edited/);
});
