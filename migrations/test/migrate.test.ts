import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { until } from '../../test/until.ts';
import { bootstrapDatabase, createTenant, LedgerMismatch, migrate, migrations } from '../src/index.ts';
import { emptyDatabase, PASSWORDS } from './database.ts';

const names = migrations.map((step) => step.name);
const step = (name: string, sql: string, after = names.at(-1)) => ({ name, after, sql });
const ledger = 'select name from kernel.schema_ledger order by ordinal';

t.test('of ten migrates at once one applies the list and nine find nothing to do', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => migrate(owner, migrations)));
  t.equal(outcomes.filter((applied) => applied.join() === names.join()).length, 1);
  t.equal(outcomes.filter((applied) => applied.length === 0).length, 9);
  const { rows } = await (await database.session(owner)).query(ledger);
  t.strictSame(
    rows.map((row) => row.name),
    names,
  );
});

t.test('a list whose last step fails leaves nothing behind', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  await t.rejects(
    migrate(owner, [...migrations, step('s90_bad', 'create table kernel.x (); select 1 / 0')]),
    /division/,
  );
  const { rows } = await (await database.session(owner)).query(`select to_regnamespace('kernel') as there`);
  t.strictSame(rows, [{ there: null }]);
  t.strictSame(await migrate(owner, migrations), names, 'and the next run applies everything');
});

t.test('a migrate that is killed half way leaves nothing behind', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const superuser = await database.session(database.superuserUrl);
  await superuser.query('select pg_advisory_lock(1)');
  const killed = migrate(owner, [...migrations, step('s90_waits', 'select pg_advisory_xact_lock(1)')]);
  const outcome = t.rejects(killed, /terminat/i);
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and usename = 'weir_owner' and wait_event = 'advisory'`;
  const pid = await until('the migration', async () => (await superuser.query(waiting)).rows[0]?.pid, 'often');
  await superuser.query('select pg_terminate_backend($1)', [pid]);
  await outcome;
  t.strictSame(await migrate(owner, migrations), names);
});

t.test('a history that is no beginning of the list is refused, and nothing is changed', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  const later = [...migrations, step('s80_breaking', 'select 1')];
  await migrate(owner, later);
  const first = migrations[0]!;
  const wrong = {
    'knows less than the database': migrations,
    'is additive for a step that is not before it': [
      ...later,
      { ...step('s90', 'select 1', 's80_breaking'), additiveSince: 's90' },
    ],
    'holds an edited step': [{ ...first, sql: `${first.sql} ` }, ...migrations.slice(1)],
    'holds another step in its place': migrations.map((s, at) => (at === 0 ? { ...s, name: 's00_other' } : s)),
    'has two heads': [...later, step('s90', 'select 1'), step('s91', 'select 1')],
  };
  for (const [what, list] of Object.entries(wrong)) await t.rejects(migrate(owner, list), LedgerMismatch, what);
  const { rows } = await (await database.session(owner)).query(ledger);
  t.equal(rows.length, later.length);
});

t.test('a step that says it is additive takes nothing away that an older release uses', async (t) => {
  const taking = /\b(drop|truncate|rename|delete from|revoke)\b|\bset not null\b|\balter (column )?\w+ type\b/i;
  // A check that one statement makes anew under its name allows more values.
  const widened = /\bdrop constraint (\w+_check),\s+add constraint \1\s/g;
  // A function that the step itself makes was nobody's before.
  const closed = /\bcreate function ([\w.]+)\([\s\S]*?\brevoke all on function \1\([\w, ]*\) from public;/g;
  // So was a table.
  const narrowed = /\bcreate table ([\w.]+) [\s\S]*?\brevoke [\w, ]+ on \1 from weir_app;/g;
  for (const { name, sql, additiveSince } of migrations) {
    const left = sql.replaceAll(widened, '').replaceAll(closed, '').replaceAll(narrowed, '');
    if (additiveSince !== undefined) t.notMatch(left, taking, name);
  }
});

t.test('the roles can do what they are for and nothing more', async (t) => {
  const database = await emptyDatabase(t);
  const superuserUrl = process.env.WEIR_TEST_DATABASE_URL!;
  await bootstrapDatabase({ superuserUrl, database: database.name, passwords: PASSWORDS });
  await migrate(database.as('weir_owner'), migrations);
  const app = await database.session(database.as('weir_app'));
  for (const sql of [
    'truncate kernel.run',
    'create table kernel.mine (a int)',
    'create table public.mine (a int)',
    'create temporary table mine (a int)',
    'create schema mine',
    'alter table kernel.run disable row level security',
    'drop policy tenant on kernel.run',
    `insert into kernel.tenant (tenant_id, alias, scope) values (gen_random_uuid(), 'a', 'a')`,
    'delete from kernel.schema_ledger',
    'set role weir_owner',
    'set session_replication_role = replica',
    "update sources.receipt set document = '{}'",
    'delete from sources.receipt',
    "update sources.pattern_version set document = '{}'",
    'delete from sources.pattern_version',
    "insert into platform.audit_chain (tenant_id, seq, hash) values (gen_random_uuid(), 0, '')",
    'update platform.audit_chain set seq = 0',
    "insert into platform.audit_event (tenant_id, seq, event, previous_hash, hash) values (gen_random_uuid(), 1, '{}', '', '')",
  ]) {
    await t.rejects(app.query(sql), { code: '42501' }, sql);
  }
  await app.query("select set_config('app.tenant', '00000000-0000-0000-0000-000000000000', false)");
  for (const event of ['{}', '{"a": 1}']) await app.query('select platform.append_audit_event($1)', [event]);
  const chain = await app.query(
    'select seq, previous_hash = lag(hash) over (order by seq) as linked from platform.audit_event',
  );
  t.strictSame(chain.rows, [
    { seq: '1', linked: null },
    { seq: '2', linked: true },
  ]);
  await app.query("select set_config('app.tenant', '', false)");
  await t.rejects(app.query("select platform.append_audit_event('{}')"), { code: '42501' }, 'no tenant, no event');
  const system = await database.session(database.as('weir_system'));
  await t.rejects(system.query("select platform.append_audit_event('{}')"), { code: '42501' });
  for (const role of ['weir_app', 'weir_system'] as const) {
    await t.rejects(
      database.session({ ...database.as(role), database: 'postgres' }),
      { code: '42501' },
      `${role} elsewhere`,
    );
  }
  await system.query('select * from kernel.run');
  await t.rejects(system.query(`update kernel.run set status = 'failed'`), { code: '42501' });
});

t.test('the program says what it did in JSON lines and by its exit code', async (t) => {
  const database = await emptyDatabase(t);
  const { host, port } = database.as('weir_owner');
  const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const run = (words: string[], more: Record<string, string> = {}) =>
    new Promise<{ code: unknown; lines: unknown[]; said: string }>((resolve) => {
      const env = { DB_HOST: host, DB_PORT: String(port), DB_NAME: database.name, ...more };
      execFile(process.execPath, [...process.execArgv, program, ...words], { env }, (error, stdout, stderr) => {
        const lines = stdout.split('\n').filter(Boolean);
        resolve({ code: error?.code ?? 0, lines: lines.map((line) => JSON.parse(line)), said: stderr });
      });
    });
  const owner = { WEIR_DB_OWNER_PASSWORD: PASSWORDS.owner };
  t.match(await run(['up'], owner), { code: 0, lines: names.map((applied) => ({ applied })) });
  t.match(await run(['up'], owner), { code: 0, lines: [{ nothing_to_do: true, head: names.at(-1) }] });
  t.match(await run(['tenant', 'create', 'Acme-1'], owner), { code: 0, lines: [{ alias: 'Acme-1', scope: 'acme_1' }] });
  t.match(await run(['up']), { code: 78, said: /WEIR_DB_OWNER_PASSWORD/ });
  t.match(await run(['up'], { ...owner, DB_PORT: '1' }), { code: 1, said: /ECONNREFUSED/ });
  const superuser = await database.session(database.superuserUrl);
  await superuser.query(`update kernel.schema_ledger set sha256 = 'x' where ordinal = 0`);
  t.match(await run(['up'], owner), { code: 78, said: /s01_kernel was edited/ });
});

t.test('fingerprints of requests that an earlier release has remembered are cleared', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  await migrate(owner, migrations.slice(0, names.indexOf('s19_idempotency_age')));
  const { tenantId } = await createTenant(owner, 'acme');
  const superuser = await database.session(database.superuserUrl);
  await superuser.query(
    "insert into kernel.idempotency_key (tenant_id, caller, key, fingerprint) values ($1, 'c/ada', 'one', 'a hash')",
    [tenantId],
  );
  await migrate(owner, migrations);
  const { rows } = await superuser.query('select key, fingerprint from kernel.idempotency_key');
  t.strictSame(rows, [{ key: 'one', fingerprint: '' }]);
});
