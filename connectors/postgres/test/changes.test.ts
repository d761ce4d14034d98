import t from 'tap';
import {
  type Config,
  configured,
  database,
  dataOf,
  discover,
  errorOf,
  logsOf,
  logsReplicate,
  read,
  statesOf,
  type TestDatabase,
} from './kit.ts';

type Row = Record<string, unknown>;

const skip = !(await logsReplicate(t, await database()));

/** A database with a publication of some tables, and its reading from the states that the last one told. */
async function followed(tables: string) {
  const db = await database();
  await db.sql(tables);
  await db.sql('CREATE PUBLICATION weir FOR ALL TABLES');
  let states: Row[] = [];
  const config = (more: Config = {}) => db.config({ method: 'cdc', slot: db.name, ...more });
  const next = async (only?: string) => {
    const catalog = configured(await discover(config()), { sync_mode: 'incremental' }, only);
    const said = await read(config(), catalog, states);
    const latest = new Map(states.map((state) => [JSON.stringify((state.stream as Row).stream_descriptor), state]));
    for (const state of statesOf(said)) latest.set(JSON.stringify(state.stream.stream_descriptor), state);
    states = [...latest.values()];
    return said;
  };
  return { ...db, config, next, states: () => states, forget: () => (states = []) };
}

/** The rows that a merge by `id` makes of what was read, without what the changes say of themselves. */
function merged(held: Map<string, Row>, rows: readonly Row[]): Map<string, Row> {
  for (const { _op, _lsn, _ab_cdc_updated_at, _ab_cdc_deleted_at, ...row } of rows) {
    if (_ab_cdc_deleted_at === null) held.set(String(row.id), row);
    else held.delete(String(row.id));
  }
  return held;
}

const rowsOf = async ({ sql }: Pick<TestDatabase, 'sql'>, table: string) =>
  new Map(
    (await sql(`SELECT to_json(x)::text AS row FROM ${table} x`))
      .map(({ row }) => JSON.parse(row ?? ''))
      .map((row: Row) => [String(row.id), row]),
  );

t.test(`a table has columns that a change has itself → they come under a number`, { skip }, async (t) => {
  const db = await followed(
    `CREATE TABLE ops (id int PRIMARY KEY, _op text, _lsn text); INSERT INTO ops VALUES (1, 'a', 'b')`,
  );
  t.match(dataOf(await db.next(), 'ops'), [{ id: 1, _op: 'r', _op_1: 'a', _lsn_1: 'b' }]);
  await db.sql(`INSERT INTO ops VALUES (2, 'c', 'd')`);
  t.match(dataOf(await db.next(), 'ops'), [{ id: 2, _op: 'c', _op_1: 'c', _lsn_1: 'd' }]);
});

t.test(`a copy and the changes behind it make the table that the source has`, { skip }, async (t) => {
  const db = await followed(
    `CREATE TABLE people (id int PRIMARY KEY, name text, note text);
       INSERT INTO people SELECT i, 'person ' || i, NULL FROM generate_series(1, 500) i;
       CREATE TABLE quiet (id int PRIMARY KEY)`,
  );
  const first = await db.next();
  t.equal(first.code, 0, JSON.stringify(errorOf(first)));
  const held = merged(new Map(), dataOf(first, 'people'));
  t.equal(held.size, 500);
  t.match(dataOf(first, 'people')[0], { _op: 'r', _ab_cdc_deleted_at: null });
  await db.sql(`BEGIN; UPDATE people SET name = 'changed' WHERE id < 5; DELETE FROM people WHERE id = 7;
      INSERT INTO people VALUES (1000, 'new', 'é"\n'); UPDATE people SET id = 2000 WHERE id = 8; COMMIT`);
  await db.sql(`BEGIN; INSERT INTO people VALUES (3000, 'never', NULL); ROLLBACK`);
  const second = await db.next();
  t.equal(second.code, 0, JSON.stringify(errorOf(second)));
  const changes = dataOf(second, 'people');
  t.strictSame(
    changes.map(({ _op, id }) => [_op, id]),
    [
      ['u', 1],
      ['u', 2],
      ['u', 3],
      ['u', 4],
      ['d', 7],
      ['c', 1000],
      ['d', 8],
      ['u', 2000],
    ],
  );
  t.ok(
    changes.every(({ _lsn }, index) => index === 0 || _lsn >= changes[index - 1]._lsn),
    'in the order of the log',
  );
  t.match(changes[4]._ab_cdc_deleted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  t.strictSame(merged(held, changes), await rowsOf(db, 'people'));
  t.strictSame(dataOf(second, 'quiet'), []);
  t.strictSame(dataOf(await db.next()), [], 'nothing twice');
  const lsns = db.states().map((state) => ((state.stream as Row).stream_state as Row).lsn);
  t.equal(new Set(lsns).size, 1, 'a stream without changes goes along, so that the server can forget');
});

t.test('what a run has read is confirmed by the next one, never before', { skip }, async (t) => {
  const db = await followed('CREATE TABLE a (id int PRIMARY KEY)');
  const confirmed = async () =>
    (await db.sql(`SELECT confirmed_flush_lsn AS lsn FROM pg_replication_slots WHERE slot_name = '${db.name}'`))[0]
      ?.lsn;
  await db.next();
  const begun = await confirmed();
  await db.sql('INSERT INTO a VALUES (1)');
  const before = db.states();
  t.strictSame(
    dataOf(await db.next()).map(({ id }) => id),
    [1],
  );
  const stored = ((before[0] as { stream: Row }).stream.stream_state as Row).lsn;
  t.equal(await confirmed(), stored, 'as far as the states went with which the run began');
  t.not(stored, undefined);
  t.ok(begun !== undefined);
  // The state of that run was lost before it was stored: the change comes again.
  const catalog = configured(await discover(db.config()), { sync_mode: 'incremental' });
  t.strictSame(
    dataOf(await read(db.config(), catalog, before)).map(({ id }) => id),
    [1],
  );
});

t.test('values that were not sent because they did not change are never null', { skip }, async (t) => {
  const db = await followed(
    `CREATE TABLE docs (id int PRIMARY KEY, n int, body text); ALTER TABLE docs ALTER body SET STORAGE EXTERNAL;
     CREATE TABLE whole (id int, n int, body text); ALTER TABLE whole ALTER body SET STORAGE EXTERNAL;
     ALTER TABLE whole REPLICA IDENTITY FULL;
     INSERT INTO docs SELECT i, 0, repeat('x', 9000) FROM generate_series(1, 3) i; INSERT INTO whole SELECT * FROM docs`,
  );
  await db.next();
  await db.sql('UPDATE docs SET n = 1; DELETE FROM docs WHERE id = 3; UPDATE whole SET n = 2 WHERE id = 1');
  const said = await db.next();
  const body = 'x'.repeat(9000);
  const docs = dataOf(said, 'docs');
  t.strictSame(
    docs.slice(0, 2).map((row) => row.body === body),
    [true, true],
  );
  t.notOk('body' in docs[2], 'the row was gone already: absent, and its deletion follows');
  t.match(docs[3], { id: 3, _op: 'd' });
  t.notOk('body' in docs[3] || 'n' in docs[3], 'of a deleted row the key is known');
  t.strictSame(
    dataOf(said, 'whole').map((row) => [row.id, row.n, row.body === body]),
    [[1, 2, true]],
  );
});

t.test('a table may get and lose columns while its changes wait to be read', { skip }, async (t) => {
  const db = await followed('CREATE TABLE evolving (id int PRIMARY KEY, old text)');
  await db.next();
  await db.sql(`INSERT INTO evolving VALUES (1, 'a'); ALTER TABLE evolving ADD added numeric(6, 2); INSERT INTO evolving VALUES (2, 'b', 1.50);
    ALTER TABLE evolving DROP old; INSERT INTO evolving VALUES (3, 2.5); ALTER TABLE evolving ALTER added TYPE text; INSERT INTO evolving VALUES (4, 'x')`);
  const said = await db.next();
  const rows = dataOf(said).map(({ id, old, added }) => [id, old, added]);
  t.strictSame(rows, [
    [1, 'a', undefined],
    [2, 'b', '1.50'],
    [3, undefined, '2.50'],
    [4, undefined, 'x'],
  ]);
});

t.test(
  'a truncated table, and one with another key, end their own stream by name, and the others go on',
  { skip },
  async (t) => {
    const db = await followed(
      `CREATE TABLE cut (id int PRIMARY KEY); INSERT INTO cut VALUES (1); CREATE TABLE keyed (id int PRIMARY KEY, other int NOT NULL);
     CREATE TABLE fine (id int PRIMARY KEY)`,
    );
    await db.next();
    const catalog = configured(await discover(db.config()), { sync_mode: 'incremental' });
    await db.sql(`INSERT INTO cut VALUES (2); TRUNCATE cut; INSERT INTO cut VALUES (3);
    ALTER TABLE keyed DROP CONSTRAINT keyed_pkey, ADD PRIMARY KEY (other); INSERT INTO keyed VALUES (1, 2); INSERT INTO fine VALUES (1)`);
    const said = await read(db.config(), catalog, db.states());
    const errors = said.messages.filter((m) => m.trace?.type === 'ERROR').map((m) => m.trace.error);
    t.strictSame(errors.map((error) => [error.stream_descriptor.name, error.internal_message]).sort(), [
      ['cut', 'table_truncated'],
      ['keyed', 'key_changed'],
    ]);
    t.strictSame(
      dataOf(said, 'fine').map(({ id }) => id),
      [1],
    );
    t.strictSame(
      statesOf(said).map((state) => state.stream.stream_descriptor.name),
      ['fine'],
    );
    t.equal(said.code, 1);
  },
);

t.test('partitions are followed as the table that they are parts of', { skip }, async (t) => {
  const db = await followed(
    `CREATE TABLE events (id int, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
     CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
     INSERT INTO events VALUES (1, '2024-05-05')`,
  );
  t.strictSame(
    dataOf(await db.next('events')).map(({ id }) => id),
    [1],
  );
  await db.sql(`CREATE TABLE events_2 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
    INSERT INTO events VALUES (2, '2025-05-05'); UPDATE events SET at = '2025-06-06' WHERE id = 1`);
  t.strictSame(
    dataOf(await db.next('events')).map(({ id, at, _op }) => [id, at, _op]),
    [
      [2, '2025-05-05', 'c'],
      [1, '2024-05-05', 'd'],
      [1, '2025-06-06', 'c'],
    ],
  );
});

t.test(
  'a table that is added later is copied as of a place of its own, and followed from there',
  { skip },
  async (t) => {
    const db = await followed('CREATE TABLE early (id int PRIMARY KEY)');
    await db.next();
    await db.sql(`CREATE TABLE late (id int PRIMARY KEY); INSERT INTO late VALUES (1); INSERT INTO early VALUES (1)`);
    const said = await db.next();
    t.strictSame(
      dataOf(said, 'late').map(({ id, _op }) => [id, _op]),
      [[1, 'r']],
    );
    t.strictSame(
      dataOf(said, 'early').map(({ id, _op }) => [id, _op]),
      [[1, 'c']],
    );
    await db.sql('INSERT INTO late VALUES (2)');
    t.strictSame(
      dataOf(await db.next(), 'late').map(({ id, _op }) => [id, _op]),
      [[2, 'c']],
    );
    const slots = await db.sql(`SELECT slot_name FROM pg_replication_slots WHERE database = '${db.name}'`);
    t.strictSame(
      slots.map(({ slot_name }) => slot_name),
      [db.name],
      'what was made for the copy is gone',
    );
  },
);

t.test('rows that change during the copy are neither lost nor kept as they were', { skip }, async (t) => {
  const db = await followed(
    `CREATE TABLE busy (id int PRIMARY KEY, v int, filler text); ALTER TABLE busy ALTER filler SET STORAGE PLAIN;
     INSERT INTO busy SELECT i, 0, repeat('x', 4000) FROM generate_series(1, 2000) i`,
  );
  let isReading = true;
  const change = async () => {
    for (let round = 1; isReading; round += 1) {
      await db.sql(`UPDATE busy SET v = ${round} WHERE id % 50 = ${round % 50}; DELETE FROM busy WHERE id = ${round};
        INSERT INTO busy VALUES (${10_000 + round}, ${round}, 'new')`);
    }
  };
  const changing = change();
  const held = merged(new Map(), dataOf(await db.next()));
  isReading = false;
  await changing;
  merged(held, dataOf(await db.next()));
  t.strictSame(held, await rowsOf(db, 'busy'));
});

t.test('a slot that is gone, of somebody else, in use or moved on has its own code each', { skip }, async (t) => {
  const db = await followed('CREATE TABLE a (id int PRIMARY KEY)');
  await db.next();
  const states = db.states();
  const catalog = configured(await discover(db.config()), { sync_mode: 'incremental' });
  const codeOf = async (config: Config = {}, state: unknown = states) =>
    errorOf(await read(db.config(config), catalog, state as unknown[]))?.internal_message;
  await db.sql('INSERT INTO a VALUES (1)');
  await db.sql(`SELECT pg_replication_slot_advance('${db.name}', pg_current_wal_lsn())`);
  t.equal(await codeOf(), 'slot_ahead');
  await db.sql(`SELECT pg_drop_replication_slot('${db.name}')`);
  t.equal(await codeOf(), 'slot_lost');
  await db.sql('CREATE TABLE later (id int PRIMARY KEY)');
  const wider = configured(await discover(db.config()), { sync_mode: 'incremental' });
  const said = await read(db.config(), wider, states);
  const codes = said.messages.filter((m) => m.trace?.type === 'ERROR');
  t.strictSame(
    codes.map(({ trace: { error } }) => error.internal_message),
    ['slot_lost', 'slot_lost'],
    'a stream that is new starts no slot either',
  );
  t.equal(
    await codeOf({ slot: `${db.name}_other` }),
    'slot_lost',
    'another slot has not kept what comes behind the state',
  );
  const slots = () => db.sql(`SELECT slot_name FROM pg_replication_slots WHERE slot_name LIKE '${db.name}%'`);
  t.strictSame(await slots(), [], 'none is made before the streams are reset');
  await db.sql(`SELECT pg_create_physical_replication_slot('${db.name}_p')`);
  t.equal(await codeOf({ slot: `${db.name}_p` }, []), 'slot_foreign');
  await db.sql(`SELECT pg_drop_replication_slot('${db.name}_p')`);
  const moved = JSON.parse(JSON.stringify(states));
  moved[0].stream.stream_state.system_id = '1';
  t.equal(await codeOf({}, moved), 'server_replaced');
});

t.test(
  'what is missing for change data is named, and nothing of the database is changed by looking',
  { skip },
  async (t) => {
    const { sql, config, name } = await database();
    await sql(`CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE bare (id int); CREATE TABLE apart (id int PRIMARY KEY);
    CREATE ROLE ${name}_reader LOGIN PASSWORD 'reads'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${name}_reader`);
    const cdc = (more: Config = {}) => config({ method: 'cdc', slot: name, ...more });
    const codeOf = async (more: Config = {}) => (await discover(cdc(more))).internal_message;
    t.equal(await codeOf(), 'publication_missing');
    t.equal(await codeOf({ username: `${name}_reader`, password: 'reads' }), 'replication_forbidden');
    await sql(`CREATE PUBLICATION weir FOR TABLE a, bare WITH (publish = 'insert')`);
    t.equal(await codeOf(), 'publication_partial');
    await sql(`ALTER PUBLICATION weir SET (publish = 'insert, update, delete, truncate')`);
    const catalog = await discover(cdc());
    t.strictSame(
      catalog.streams.map((stream: Row) => [stream.name, stream.source_defined_cursor]),
      [
        ['a', true],
        ['apart', false],
        ['bare', false],
      ],
    );
    const said = await read(cdc(), configured(catalog, { sync_mode: 'incremental' }));
    const errors = said.messages.filter((m) => m.trace?.type === 'ERROR').map((m) => m.trace.error.internal_message);
    t.strictSame(errors, ['table_unpublished', 'replica_identity_missing']);
    t.match(logsOf(said), [/^WARN bare is published and has no replica identity/]);
    const [facts] = await sql(`SELECT (SELECT relreplident FROM pg_class WHERE relname = 'bare') AS identity,
    (SELECT count(*) FROM pg_publication_tables) AS published, (SELECT count(*) FROM pg_publication) AS publications`);
    await sql(`CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (5);
    CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (5) TO (9); ALTER PUBLICATION weir ADD TABLE p1`);
    const isFollowed = async () =>
      (await discover(cdc())).streams.find((stream: Row) => stream.name === 'p').source_defined_cursor;
    t.equal(await isFollowed(), false, 'one part of it is not all of it');
    await sql('ALTER PUBLICATION weir ADD TABLE p2');
    t.equal(await isFollowed(), true);
    t.strictSame({ ...facts }, { identity: 'd', published: '2', publications: '1' });
  },
);
