import fc from 'fast-check';
import t from 'tap';
import { configured, database, dataOf, discover, errorOf, logsOf, read, readSegments, statesOf } from './kit.ts';

const incremental = (cursor: string) => ({ sync_mode: 'incremental', cursor_field: [cursor] });
const idsOf = (said: Awaited<ReturnType<typeof read>>) => dataOf(said).map(({ id }) => id);
const { sql, config } = await database();

t.test('rows of one cursor value are told apart by the key, to the microsecond', async (t) => {
  await sql(`CREATE TABLE ties (id int PRIMARY KEY, at timestamptz);
    INSERT INTO ties VALUES (1, '2024-01-01 00:00:00.000001'), (3, '2024-01-01 00:00:00.000002'), (5, '2024-01-01 00:00:00.000002')`);
  const catalog = configured(await discover(config()), incremental('at'), 'ties');
  const first = await read(config(), catalog);
  t.strictSame(idsOf(first), [1, 3, 5]);
  t.strictSame(statesOf(first).at(-1).stream.stream_state, {
    cursor_field: 'at',
    cursor: '2024-01-01 00:00:00.000002+00',
    key_fields: ['id'],
    key: ['5'],
  });
  await sql(
    `INSERT INTO ties VALUES (2, '2024-01-01 00:00:00.000002'), (9, '2024-01-01 00:00:00.000002'), (4, '2024-01-01 00:00:00.000003')`,
  );
  const second = await read(config(), catalog, statesOf(first));
  t.strictSame(idsOf(second), [9, 4], 'what came behind the last row; 2 sorts before it, which a look-back is for');
  t.strictSame(idsOf(await read(config(), catalog, statesOf(second))), []);
  t.strictSame(idsOf(await read(config({ lookback_seconds: 1 }), catalog, statesOf(second))), [1, 2, 3, 5, 9, 4]);
});

t.test('without a key, rows of the last value are read again if there are more of them by now', async (t) => {
  await sql(
    `CREATE TABLE keyless (id int, n numeric(12, 2)); INSERT INTO keyless VALUES (1, 0.10), (2, 0.20), (3, 0.20)`,
  );
  const catalog = configured(await discover(config()), incremental('n'), 'keyless');
  const first = await read(config(), catalog);
  t.strictSame(statesOf(first).at(-1).stream.stream_state, { cursor_field: 'n', cursor: '0.20', ties: 2 });
  t.strictSame(idsOf(await read(config(), catalog, statesOf(first))), []);
  await sql('INSERT INTO keyless VALUES (4, 0.20), (5, 0.30)');
  t.strictSame(idsOf(await read(config(), catalog, statesOf(first))).sort(), [2, 3, 4, 5]);
});

t.test('rows without a usable cursor are counted and not read, and an infinity is no bound', async (t) => {
  await sql(`CREATE TABLE gaps (id int PRIMARY KEY, at timestamp);
    INSERT INTO gaps VALUES (1, NULL), (2, 'infinity'), (3, '2024-01-01'), (4, '-infinity')`);
  const catalog = configured(await discover(config()), incremental('at'), 'gaps');
  const first = await read(config(), catalog);
  t.strictSame(idsOf(first), [3]);
  t.match(logsOf(first), [/^WARN gaps: 3 rows/]);
  const notes = first.messages.flatMap(({ trace }) => trace?.analytics?.value ?? []).map((text) => JSON.parse(text));
  t.match(notes, [
    { stream: 'gaps', kind: 'rows_left_out', count: 3, code: 'null_cursor', message: /cursor at .*full/ },
  ]);
  await sql(`INSERT INTO gaps VALUES (5, '2024-01-02')`);
  t.strictSame(idsOf(await read(config(), catalog, statesOf(first))), [5]);
});

t.test('a look-back that a cursor cannot have is told of', async (t) => {
  await sql(`CREATE TABLE numbered (id int PRIMARY KEY, at date); INSERT INTO numbered VALUES (1, '2024-01-01')`);
  const catalog = await discover(config());
  const logs = async (cursor: string) =>
    logsOf(await read(config({ lookback_seconds: 60 }), configured(catalog, incremental(cursor), 'numbered')));
  t.match(await logs('id'), [/^WARN numbered: lookback_seconds does nothing/]);
  t.strictSame(await logs('at'), []);
});

t.test('an empty table has a state without a value, and its first rows are read after that', async (t) => {
  await sql('CREATE TABLE later (id uuid PRIMARY KEY)');
  const catalog = configured(await discover(config()), incremental('id'), 'later');
  const first = await read(config(), catalog);
  t.strictSame(
    statesOf(first).map(({ stream }) => stream.stream_state),
    [{ cursor_field: 'id' }],
  );
  await sql(
    `INSERT INTO later VALUES ('00000000-0000-0000-0000-000000000001'), ('f0000000-0000-0000-0000-000000000001')`,
  );
  t.equal(dataOf(await read(config(), catalog, statesOf(first))).length, 2);
});

t.test(
  'a cursor that is missing, gone or without an order is refused by name, and so is a foreign state',
  async (t) => {
    await sql(
      `CREATE TABLE wrong (id int PRIMARY KEY, j jsonb, at date); INSERT INTO wrong VALUES (1, '{}', '2024-01-01')`,
    );
    const catalog = await discover(config());
    const codeOf = async (cursor: string | undefined, state: readonly unknown[] = []) => {
      const how = cursor === undefined ? { sync_mode: 'incremental' } : incremental(cursor);
      return errorOf(await read(config(), configured(catalog, how, 'wrong'), state))?.internal_message;
    };
    t.equal(await codeOf(undefined), 'cursor_missing');
    t.equal(await codeOf('gone'), 'column_unknown');
    t.equal(await codeOf('j'), 'cursor_unusable');
    const state = (value: unknown) => [
      { type: 'STREAM', stream: { stream_descriptor: { name: 'wrong', namespace: 'public' }, stream_state: value } },
    ];
    for (const value of [
      7,
      { cursor_field: 'id', cursor: '1', key: ['1'] },
      { cursor_field: 'at', cursor: 5 },
      { cursor_field: 'at', cursor: "'; DROP" },
    ]) {
      t.equal(await codeOf('at', state(value)), 'stored_state_invalid');
    }
  },
);

t.test('however rows come and change, reads by cursor with a look-back end with what the table holds', async () => {
  await sql('CREATE TABLE life (id int PRIMARY KEY, v int, at timestamptz NOT NULL)');
  const catalog = configured(await discover(config()), incremental('at'), 'life');
  const step = fc.record({ id: fc.nat(9), v: fc.nat(99), late: fc.nat(5) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
      await sql('TRUNCATE life');
      const held = new Map<number, number>();
      let states: unknown[] = [];
      for (const [round, steps] of rounds.entries()) {
        for (const { id, v, late } of steps) {
          await sql(`INSERT INTO life VALUES (${id}, ${v}, timestamptz '2024-01-01' + interval '${round * 10 - late} seconds')
            ON CONFLICT (id) DO UPDATE SET v = excluded.v, at = excluded.at`);
        }
        const said = await read(config({ lookback_seconds: 60 }), catalog, states);
        for (const { id, v } of dataOf(said)) held.set(id, v);
        states = statesOf(said).slice(-1);
      }
      const rows = await sql('SELECT id, v FROM life');
      return rows.length === held.size && rows.every(({ id, v }) => held.get(Number(id)) === Number(v));
    }),
    { numRuns: 25 },
  );
});

t.test('a long read tells states on its way, each with the rows before it', async (t) => {
  await sql(`CREATE TABLE long (id bigint PRIMARY KEY, filler text);
    INSERT INTO long SELECT i, 'row ' || i FROM generate_series(1, 450000) i`);
  const catalog = configured(await discover(config()), incremental('id'), 'long');
  const { said, segments } = await readSegments(config(), catalog);
  t.ok(segments.length >= 2);
  let rows = 0;
  for (const message of said.messages) {
    if (message.type === 'SEGMENT') rows += message.segment.rows;
    if (message.type === 'RECORD') rows += 1;
    if (message.type === 'STATE') t.equal(message.state.stream.stream_state.cursor, String(rows));
  }
  t.equal(rows, 450_000);
});
