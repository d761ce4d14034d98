import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { parseConfig } from '../src/config.ts';
import { connect } from '../src/connect.ts';
import {
  ALLOWED,
  type Config,
  configured,
  database,
  dataOf,
  discover,
  errorOf,
  INCREMENTAL,
  idsOf,
  opened,
  RELEASE,
  read,
  statesOf,
  type TestDatabase,
  upTo,
} from './kit.ts';
import { type ServerPair, serverPair } from './own-server.ts';

const codeOf = (said: Awaited<ReturnType<typeof read>>) => errorOf(said)?.internal_message;

t.test(`release ${RELEASE}`, async (t) => {
  const pair = await serverPair(RELEASE === 15 ? 'debian' : 'embedded');
  const db = await database(pair.primary.url);
  const cdc = (slot: string, more: Config = {}) => db.config({ method: 'cdc', slot: `${db.name}_${slot}`, ...more });
  await db.sql(`CREATE TABLE facts (id int PRIMARY KEY, other int NOT NULL, body text);
      INSERT INTO facts SELECT i, -i, repeat('x', 700) FROM generate_series(1, 2000) i`);

  await t.test(
    'a table that is changed between what is known of it and its rows is never taken for empty',
    async (t) => {
      const catalog = configured(await discover(db.config()), {}, 'facts');
      const changes: readonly (readonly [string, string | undefined])[] = [
        ['ALTER TABLE facts RENAME TO former', 'stream_unknown'],
        ['DROP TABLE facts', 'stream_unknown'],
        ['ALTER TABLE facts DROP body', 'schema_changed'],
        ['ALTER TABLE facts ALTER other TYPE bigint', 'schema_changed'],
        ['TRUNCATE facts', 'schema_changed'],
        ['ALTER TABLE facts DROP CONSTRAINT facts_pkey, ADD PRIMARY KEY (other)', undefined],
        ['ALTER TABLE facts ADD more int DEFAULT 1', undefined],
      ];
      for (const [change, code] of changes) {
        const said = await readDuring(db, catalog, change);
        t.equal(codeOf(said), code, change);
        t.equal(dataOf(said).length, code === undefined ? 2000 : 0);
      }
    },
  );

  await t.test('a key that has changed ends what goes by it, before a row is taken for another', async (t) => {
    await db.sql(
      'CREATE TABLE keyed (id int PRIMARY KEY, other int NOT NULL, at int); INSERT INTO keyed VALUES (1, 2, 3)',
    );
    const of = async () => configured(await discover(db.config()), { ...INCREMENTAL, cursor_field: ['at'] }, 'keyed');
    const described = await discover(db.config());
    const catalog = await of();
    const first = await read(db.config(), catalog);
    await db.sql(
      'ALTER TABLE keyed DROP CONSTRAINT keyed_pkey, ADD PRIMARY KEY (other); INSERT INTO keyed VALUES (1, 9, 3)',
    );
    t.equal(codeOf(await read(db.config(), catalog)), 'key_changed', 'as it was described');
    t.equal(codeOf(await read(db.config(), await of(), statesOf(first))), 'key_changed', 'as it was read');
    t.equal(dataOf(await read(db.config(), await of())).length, 2, 'described anew, and reset');
    const whole = async (destination_sync_mode: string, primary_key: readonly string[][]) => {
      const said = await read(db.config(), configured(described, { destination_sync_mode, primary_key }, 'keyed'));
      return [codeOf(said), dataOf(said).length];
    };
    t.strictSame(await whole('append_dedup', [['id']]), ['key_changed', 0], 'read whole, to be merged');
    t.strictSame(await whole('append_dedup', [['other']]), [undefined, 2], 'merged by a key of their own');
    t.strictSame(await whole('append', [['id']]), [undefined, 2], 'not merged');
    t.strictSame(await whole('overwrite', [['id']]), [undefined, 2], 'nor here');
  });

  await t.test('no time limit of the server ends what takes long, and what ends a query is told', async (t) => {
    const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'];
    if (RELEASE >= 17) limits.push('transaction_timeout');
    for (const name of limits) await db.sql(`ALTER DATABASE ${db.name} SET ${name} = '1min'`);
    const session = await connect(parseConfig(db.config()), { environment: ALLOWED });
    for (const name of limits) t.strictSame({ ...(await session.rows(`SHOW ${name}`))[0] }, { [name]: '0' });
    await session.end();
    const catalog = configured(await discover(db.config()), {}, 'facts');
    const cancelled = await readDuring(
      db,
      catalog,
      'SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = $$weir$$',
    );
    t.equal(codeOf(cancelled), 'read_cancelled');
  });

  await t.test('who may not come in is told what is in the way', async (t) => {
    await db.sql(`CREATE ROLE ${db.name}_idle NOLOGIN PASSWORD 'x'; CREATE ROLE ${db.name}_barred LOGIN PASSWORD 'x'`);
    const file = join(pair.primary.dataDir, 'pg_hba.conf');
    const rules = await readFile(file, 'utf8');
    await writeFile(file, `host all ${db.name}_barred all reject\n${rules}`);
    await db.sql('SELECT pg_reload_conf()');
    const as = async (role: string) =>
      (await discover(db.config({ username: `${db.name}_${role}`, password: 'x' }))).internal_message;
    t.equal(await as('idle'), 'login_failed');
    await until('the new rules', async () => (await as('barred')) === 'tls_required');
  });

  await db.sql('CREATE PUBLICATION weir FOR TABLE facts');
  await t.test('a standby is read as its primary, changes too from release 16 on', (t) =>
    readsStandby(t, { pair, db }),
  );
  if (RELEASE >= 17) {
    await t.test('a standby that took over is read on from where it and its primary were one', (t) =>
      failsOver(t, { pair, db }),
    );
  }

  await t.test('a slot that another reads, and one that the server has given up', async (t) => {
    const catalog = configured(await discover(cdc('own')), INCREMENTAL, 'facts');
    const first = await read(cdc('own'), catalog);
    const other = await slotReader(db, `${db.name}_own`);
    t.equal(codeOf(await read(cdc('own'), catalog, statesOf(first), { slotLooks: 1 })), 'slot_in_use');
    const waiting = read(cdc('own'), catalog, statesOf(first));
    const looks = `SELECT FROM pg_stat_activity WHERE application_name = 'weir' AND query LIKE '%confirmed_flush_lsn%'`;
    await until('a look at the slot', async () => (await db.sql(looks)).length > 0);
    await db.sql('DROP PUBLICATION weir');
    await db.sql('UPDATE facts SET body = NULL WHERE id = 1');
    await other.end();
    // As of some minor releases the server leaves out what is not published any more, and says nothing.
    t.match(codeOf(await waiting), /^publication_(?:missing|changed)$/, 'gone while the slot was waited for');
    await db.sql('CREATE PUBLICATION weir FOR TABLE facts');
    t.equal(
      codeOf(await read(cdc('own'), catalog, statesOf(first))),
      'publication_changed',
      'back, without what was changed meanwhile',
    );
    await db.sql(`ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'`);
    await db.sql('SELECT pg_reload_conf()');
    await until('the loss of the slot', async () => {
      await db.sql('UPDATE facts SET body = body WHERE id = 1; SELECT pg_switch_wal()');
      await db.sql('CHECKPOINT');
      const [slot] = await db.sql(`SELECT wal_status FROM pg_replication_slots WHERE slot_name = '${db.name}_own'`);
      return slot?.wal_status === 'lost';
    });
    t.equal(codeOf(await read(cdc('own'), catalog, statesOf(first))), 'slot_lost');
    await db.sql('ALTER SYSTEM RESET max_slot_wal_keep_size');
    await db.sql('SELECT pg_reload_conf()');
  });
});

type Test = { strictSame: typeof t.strictSame; equal: typeof t.equal };
type Found = { readonly pair: ServerPair; readonly db: TestDatabase };

async function readsStandby(t: Test, { pair: { standby }, db }: Found): Promise<void> {
  const at = { port: standby.port };
  const catalog = configured(await discover(db.config()), {}, 'facts');
  await caughtUp(db, standby.url);
  const ids = idsOf(await read(db.config(at), catalog)).sort((a, b) => a - b);
  t.strictSame(ids, upTo(2000), 'whole, by several connections');
  const byId = configured(await discover(db.config(at)), { ...INCREMENTAL, cursor_field: ['id'] }, 'facts');
  t.strictSame(idsOf(await read(db.config(at), byId)), upTo(2000), 'by a cursor');
  const cdc = (more: Config = {}) => db.config({ method: 'cdc', slot: `${db.name}_far`, ...more });
  if (RELEASE < 16) {
    t.equal((await discover(cdc(at))).internal_message, 'standby_unsupported');
    return;
  }
  // An idle primary says nothing by itself of what a slot on a standby begins with.
  const first = await meanwhile(read(cdc(at), await followed(cdc(at))), () =>
    db.sql('SELECT pg_log_standby_snapshot()'),
  );
  t.equal(dataOf(first).length, 2000);
  await db.sql('INSERT INTO facts VALUES (2001, 0, NULL)');
  await caughtUp(db, standby.url);
  t.strictSame(idsOf(await read(cdc(at), await followed(cdc(at)), statesOf(first))), [2001]);
}

async function failsOver(t: Test, { pair: { standby }, db }: Found): Promise<void> {
  const slot = `${db.name}_kept`;
  const cdc = (more: Config = {}) => db.config({ method: 'cdc', slot, ...more });
  await db.sql(`SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput', false, false, true)`);
  const there = await opened(standby.url);
  await until('the slot on the standby', async () => {
    await db.sql(
      `SELECT pg_log_standby_snapshot(); SELECT pg_replication_slot_advance('${slot}', pg_current_wal_lsn())`,
    );
    await there.query('SELECT pg_sync_replication_slots()');
    const { rows } = await there.query('SELECT FROM pg_replication_slots WHERE slot_name = $1 AND NOT temporary', [
      slot,
    ]);
    return rows.length > 0;
  });
  const catalog = await followed(cdc());
  const states = statesOf(await read(cdc(), catalog));
  await caughtUp(db, standby.url);
  await there.query('SELECT pg_promote()');
  await there.end();
  await db.sql('INSERT INTO facts VALUES (3001, 0, NULL)');
  const apart = statesOf(await read(cdc(), catalog, states));
  const at = { port: standby.port };
  const to = new URL(standby.url);
  to.pathname = db.name;
  const promoted = await opened(to.href);
  await promoted.query('INSERT INTO facts VALUES (4001, 0, NULL)');
  await promoted.end();
  t.strictSame(idsOf(await read(cdc(at), catalog, states)), [4001], 'the log that both share ends behind the state');
  t.equal(codeOf(await read(cdc(at), catalog, apart)), 'server_replaced', 'and before that one');
}

const followed = async (config: Config) => configured(await discover(config), INCREMENTAL, 'facts');

/** Does something again and again until the work is done. */
async function meanwhile<T>(work: Promise<T>, act: () => Promise<unknown>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  await until('the end of the work', async () => {
    if (!isDone) await act();
    return isDone;
  });
  return done;
}

/** Reads a table, and changes it when the reader knows its columns and has none of its rows. */
async function readDuring(db: TestDatabase, catalog: object, change: string) {
  const other = await opened(db.url);
  await other.query('BEGIN; LOCK TABLE facts IN ACCESS EXCLUSIVE MODE');
  const reading = read(db.config(), catalog);
  await until('a reader that waits for the table', async () => {
    const waits = `SELECT FROM pg_stat_activity WHERE application_name = 'weir' AND wait_event_type = 'Lock'`;
    return (await db.sql(waits)).length > 0;
  });
  await other.query(change);
  await other.query('COMMIT');
  const said = await reading;
  await other.query(`DROP TABLE IF EXISTS facts, former; CREATE TABLE facts (id int PRIMARY KEY, other int NOT NULL, body text);
    INSERT INTO facts SELECT i, -i, repeat('x', 700) FROM generate_series(1, 2000) i`);
  await other.end();
  return said;
}

/** Reads a slot and keeps it. */
async function slotReader({ url, sql }: TestDatabase, slot: string): Promise<pg.Client> {
  const reader = await opened(url, { replication: 'database' });
  reader
    .query(`START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names 'weir')`)
    .catch(() => undefined);
  await until(
    'a slot that is read',
    async () => (await sql(`SELECT FROM pg_replication_slots WHERE slot_name = '${slot}' AND active`)).length > 0,
  );
  return reader;
}

/** Until the standby shows all that the primary has committed. */
async function caughtUp({ sql, name }: TestDatabase, url: string): Promise<void> {
  const [end] = await sql('SELECT pg_current_wal_lsn() AS lsn');
  const to = new URL(url);
  to.pathname = name;
  await until('a standby that has all', async () => {
    const standby = await opened(to.href).catch(() => undefined);
    if (standby === undefined) return false;
    const { rows } = await standby.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done', [end?.lsn]);
    await standby.end();
    return rows[0].done === 't';
  });
}
