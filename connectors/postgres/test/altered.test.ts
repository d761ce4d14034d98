import t from 'tap';
import { until } from '../../../test/until.ts';
import {
  type Config,
  configured,
  database,
  discover,
  errorOf,
  INCREMENTAL,
  idsOf,
  logsReplicate,
  opened,
  read,
  statesOf,
  upTo,
} from './kit.ts';

const ROWS = 400;
/** Whoever reads this row waits for the gate. */
const GATED = 250;
const GATE = 4711;
const sortedIdsOf = (...said: Parameters<typeof idsOf>) => idsOf(...said).sort((a, b) => a - b);
const codesOf = ({ messages }: Awaited<ReturnType<typeof read>>) =>
  messages
    .filter((m) => m.trace?.type === 'ERROR')
    .map(({ trace: { error } }) => [error.stream_descriptor?.name, error.internal_message]);

t.test(`a table that is altered while it is read: the change waits, and the reading is whole`, async (t) => {
  const db = await gated();
  const changes = [
    'ALTER TABLE facts DROP CONSTRAINT facts_pkey, ADD PRIMARY KEY (other)',
    'ALTER TABLE facts DROP COLUMN body',
    'ALTER TABLE facts ALTER other TYPE bigint',
    'ALTER TABLE facts RENAME TO former',
    'TRUNCATE facts',
    'DROP TABLE facts',
  ];
  for (const [how, more] of Object.entries({
    'whole, by several': {},
    'by a cursor': { ...INCREMENTAL, cursor_field: ['id'] },
  })) {
    for (const change of changes) {
      await db.fill();
      const catalog = configured(await discover(db.reader()), more, 'facts');
      const { said, waited } = await db.altered(() => read(db.reader(), catalog), change);
      t.ok(waited, `${how}: ${change}`);
      t.strictSame([errorOf(said)?.internal_message, sortedIdsOf(said)], [undefined, upTo(ROWS)]);
      t.equal(statesOf(said).at(-1)?.stream.stream_state.cursor, how === 'by a cursor' ? String(ROWS) : undefined);
    }
  }
  await db.sql(`CREATE TABLE parts (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
      CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (300);
      CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (300) TO (1000)`);
  await db.gate('parts', 'parts_1');
  for (const change of ['TRUNCATE parts_2', 'ALTER TABLE parts DETACH PARTITION parts_2', 'DROP TABLE parts_1']) {
    await db.sql(`TRUNCATE parts; INSERT INTO parts SELECT i, 'x' FROM generate_series(1, ${ROWS}) i`);
    const catalog = configured(await discover(db.reader()), {}, 'parts');
    const { said, waited } = await db.altered(() => read(db.reader({ parallel_reads: 1 }), catalog), change);
    t.ok(waited, change);
    t.strictSame([errorOf(said)?.internal_message, sortedIdsOf(said)], [undefined, upTo(ROWS)]);
    if (/DETACH/.test(change))
      await db.sql('ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (300) TO (1000)');
  }
});

t.test(`a copy for change data is as whole, and what waited for it is seen in the log`, async (t) => {
  const db = await gated();
  if (!(await logsReplicate(t, db))) return;
  await db.fill();
  await db.sql('CREATE PUBLICATION weir FOR TABLE facts');
  const config = db.reader({ method: 'cdc', slot: db.name });
  const catalog = configured(await discover(config), INCREMENTAL, 'facts');
  const { said, waited } = await db.altered(
    () => read(config, catalog),
    `ALTER TABLE facts DROP CONSTRAINT facts_pkey, ADD PRIMARY KEY (other); UPDATE facts SET body = 'y' WHERE id = 7`,
  );
  t.ok(waited);
  t.strictSame(sortedIdsOf(said), upTo(ROWS), 'the copy');
  // Whether this run sees it yet depends on who is first: the change, or who asks how far the log is.
  const next = await read(config, catalog, [statesOf(said).at(-1)]);
  t.strictSame([codesOf(next), statesOf(next)], [[['facts', 'key_changed']], []], 'at the latest by the next run');
});

t.test(`what the log tells of a table that became another one ends its stream by name`, async (t) => {
  const db = await database();
  if (!(await logsReplicate(t, db))) return;
  const names = ['renamed', 'rekeyed', 'flipped', 'dropped', 'remade', 'swapped', 'bare', 'retyped', 'fine'];
  for (const name of names)
    await db.sql(
      `CREATE TABLE ${name} (id int PRIMARY KEY, other int NOT NULL, body text); INSERT INTO ${name} VALUES (1, -1, 'a')`,
    );
  await db.sql(
    'ALTER TABLE renamed REPLICA IDENTITY FULL; ALTER TABLE rekeyed REPLICA IDENTITY FULL; ALTER TABLE flipped REPLICA IDENTITY FULL; CREATE PUBLICATION weir FOR ALL TABLES',
  );
  const config = db.config({ method: 'cdc', slot: db.name });
  const catalog = configured(await discover(config), INCREMENTAL);
  const first = await read(config, catalog);
  t.strictSame(codesOf(first), []);
  for (const name of names) await db.sql(`INSERT INTO ${name} VALUES (2, -2, 'b')`);
  await db.sql(`ALTER TABLE renamed RENAME id TO number; INSERT INTO renamed VALUES (3, -3, 'c');
      ALTER TABLE rekeyed DROP CONSTRAINT rekeyed_pkey, ADD PRIMARY KEY (other); INSERT INTO rekeyed VALUES (1, -3, 'c');
      ALTER TABLE flipped RENAME id TO number; INSERT INTO flipped VALUES (3, -3, 'c'); ALTER TABLE flipped RENAME number TO id;
      DROP TABLE dropped;
      DROP TABLE remade; CREATE TABLE remade (id int PRIMARY KEY, other int NOT NULL, body text); INSERT INTO remade VALUES (3, -3, 'c');
      CREATE TABLE next (LIKE swapped INCLUDING ALL); INSERT INTO next VALUES (3, -3, 'c');
      ALTER TABLE swapped RENAME TO former; ALTER TABLE next RENAME TO swapped;
      ALTER TABLE bare REPLICA IDENTITY NOTHING; INSERT INTO bare VALUES (3, -3, 'c');
      ALTER TABLE retyped ALTER id TYPE bigint; INSERT INTO retyped VALUES (3, -3, 'c'); INSERT INTO fine VALUES (3, -3, 'c')`);
  const states = new Map(statesOf(first).map((state) => [state.stream.stream_descriptor.name, state]));
  const said = await read(config, catalog, [...states.values()]);
  t.strictSame(Object.fromEntries(codesOf(said)), {
    ...{
      renamed: 'key_changed',
      rekeyed: 'key_changed',
      flipped: 'key_changed',
      dropped: 'stream_unknown',
      bare: 'replica_identity_missing',
    },
    ...{ remade: 'table_replaced', swapped: 'table_replaced' },
  });
  const told = statesOf(said).map((state) => state.stream.stream_descriptor.name);
  t.strictSame([...new Set(told)].sort(), ['fine', 'retyped'], 'no state of one that ended so');
  t.strictSame(
    [sortedIdsOf(said, 'fine'), sortedIdsOf(said, 'retyped')],
    [
      [2, 3],
      [2, 3],
    ],
  );
});

t.test(`a row whose cursor moves while it is read, or that is committed late`, async (t) => {
  const db = await gated();
  const second = (number: number) => `timestamptz '2024-01-01' + ${number} * interval '1 second'`;
  await db.sql(`CREATE TABLE moves (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE INDEX ON moves (at);
      INSERT INTO moves SELECT i, timestamptz '2024-01-01' + i * interval '1 second' FROM generate_series(1, ${ROWS}) i`);
  await db.gate('moves');
  const catalog = configured(await discover(db.reader()), { ...INCREMENTAL, cursor_field: ['at'] }, 'moves');
  const late = await opened(db.url);
  await late.query(`BEGIN; INSERT INTO moves VALUES (500, ${second(395)})`);
  const { said, waited } = await db.altered(
    () => read(db.reader(), catalog),
    `UPDATE moves SET at = ${second(3600)} WHERE id IN (10, ${GATED}, 390);
       INSERT INTO moves VALUES (501, ${second(390)})`,
  );
  t.notOk(waited, 'who changes rows is not held up');
  t.strictSame(sortedIdsOf(said), upTo(ROWS), 'each row once, as it was when the reading began');
  const [state] = statesOf(said).slice(-1);
  t.equal(state.stream.stream_state.cursor, '2024-01-01 00:06:40+00', 'and the cursor is the greatest of then');
  await late.query('COMMIT');
  await late.end();
  const next = async (more: Config) => sortedIdsOf(await read(db.reader(more), catalog, [state]));
  const moved = [10, GATED, 390];
  t.strictSame(await next({}), moved, 'rows that have moved are read where they are now; those that came late are not');
  const window = (first: number) => upTo(ROWS).slice(first - 1);
  const withLate = (...ids: number[]) => [...new Set([...moved, ...ids])].sort((a, b) => a - b);
  t.strictSame(await next({ lookback_seconds: 5 }), withLate(...window(395), 500), 'as far back as it looks');
  t.strictSame(await next({ lookback_seconds: 60 }), withLate(...window(340), 500, 501), 'nothing is lost');
});

/** A table that a role reads which has to wait at one of its rows while the gate is shut. */
async function gated() {
  const db = await database();
  const role = `${db.name}_reader`;
  await db.sql(`CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'reads';
    CREATE FUNCTION gate() RETURNS boolean LANGUAGE sql VOLATILE AS
      'SELECT pg_advisory_lock_shared(${GATE}); SELECT pg_advisory_unlock_shared(${GATE})';
    ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${role}`);
  const gate = async (...tables: string[]) => {
    for (const table of tables) {
      await db.sql(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY slowly ON ${table} TO ${role} USING (CASE WHEN id = ${GATED} THEN public.gate() ELSE true END)`);
    }
  };
  const waits = (event: string) =>
    db.sql(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = '${event}'`);
  return {
    ...db,
    gate,
    reader: (more: Config = {}) => db.config({ username: role, password: 'reads', ...more }),
    async fill() {
      await db.sql(`DROP TABLE IF EXISTS facts, former; CREATE TABLE facts (id int PRIMARY KEY, other int NOT NULL, body text);
        INSERT INTO facts SELECT i, -i, repeat('x', 3000) FROM generate_series(1, ${ROWS}) i`);
      await gate('facts');
    },
    /** Does something to the table while a reading stands at the gate; whether it waited for the reading. */
    async altered(start: () => ReturnType<typeof read>, change: string) {
      const keeper = await opened(db.url);
      await keeper.query(`SELECT pg_advisory_lock(${GATE})`);
      const reading = start();
      // What fails while something else is waited for is told of where it is awaited, below.
      reading.catch(() => undefined);
      await until('a reading at the gate', async () => (await waits('advisory')).length > 0);
      const other = await opened(db.url);
      let isDone = false;
      const altering = other.query(change).finally(() => {
        isDone = true;
      });
      altering.catch(() => undefined);
      await until('a change that waits or is done', async () => isDone || (await waits('relation')).length > 0);
      const waited = !isDone;
      await keeper.query(`SELECT pg_advisory_unlock(${GATE})`);
      const said = await reading;
      await altering;
      await Promise.all([keeper.end(), other.end()]);
      return { said, waited };
    },
  };
}
