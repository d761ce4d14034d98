import { connectorConformance } from '@weir/connector-sdk/testing';
import t from 'tap';
import { until } from '../../../test/until.ts';
import {
  ALLOWED,
  configured,
  database,
  dataOf,
  discover,
  errorOf,
  logsOf,
  PROGRAM,
  parquetRows,
  read,
  readSegments,
} from './kit.ts';

process.env.WEIR_EGRESS_ALLOW = ALLOWED.WEIR_EGRESS_ALLOW;
const ROWS = 3000;

const conforming = await database();
await conforming.sql(`
  CREATE TABLE people (id int PRIMARY KEY, name text, updated_at timestamptz NOT NULL);
  INSERT INTO people SELECT i, repeat(md5(i::text), 4), timestamptz '2024-01-01' + i * interval '1 second' FROM generate_series(1, 6000) i`);
for (const { name, run: check } of connectorConformance({
  command: [process.execPath, '--conditions=@weir/source', '--disable-warning=ExperimentalWarning', PROGRAM],
  config: conforming.config(),
  badConfig: conforming.config({ password: 'wrong' }),
  segments: true,
})) {
  t.test(name, check);
}

t.test(`every row of a table arrives once, whatever its parts are`, async (t) => {
  const { sql, config } = await database();
  // Rows that were moved and deleted leave holes, and rows longer than a page lie elsewhere.
  await sql(`
      CREATE TABLE plain (id int PRIMARY KEY, filler text);
      ALTER TABLE plain ALTER filler SET STORAGE PLAIN;
      INSERT INTO plain SELECT i, repeat('x', 4000) FROM generate_series(1, ${ROWS}) i;
      UPDATE plain SET filler = 'moved' WHERE id % 7 = 0; DELETE FROM plain WHERE id % 11 = 0;
      CREATE TABLE parts (id int, region text) PARTITION BY LIST (region);
      CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a');
      CREATE TABLE parts_b (region text, id int); ALTER TABLE parts ATTACH PARTITION parts_b FOR VALUES IN ('b');
      CREATE TABLE parts_c PARTITION OF parts DEFAULT PARTITION BY RANGE (id);
      CREATE TABLE parts_c1 PARTITION OF parts_c FOR VALUES FROM (0) TO (1000);
      INSERT INTO parts SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3] FROM generate_series(1, 900) i;
      CREATE VIEW seen AS SELECT id FROM plain WHERE id < 100;
      CREATE MATERIALIZED VIEW kept AS SELECT id FROM parts;
      CREATE TABLE nothing (id int);
      CREATE TABLE one (text text); INSERT INTO one VALUES (''), (NULL), ('\\.'), (E'\\n');
      CREATE TABLE no_columns ();
      CREATE SCHEMA other; CREATE TABLE other.plain (id int); INSERT INTO other.plain VALUES (1)`);
  const how = config({ schemas: ['public', 'other'], parallel_reads: 3 });
  const catalog = await discover(how);
  t.strictSame(
    catalog.streams.map(({ name, namespace }: { name: string; namespace?: string }) => [name, namespace]),
    [
      ...['kept', 'nothing', 'one', 'parts', 'plain', 'seen'].map((name) => [name, 'public']),
      ['other.plain', undefined],
    ],
  );
  const said = await read(how, configured(catalog));
  t.equal(said.code, 0);
  const ids = (stream: string) =>
    dataOf(said, stream)
      .map(({ id }) => id)
      .sort((a, b) => a - b);
  const expected = Array.from({ length: ROWS }, (_, index) => index + 1).filter((id) => id % 11 !== 0);
  t.strictSame(ids('plain'), expected);
  t.ok(
    logsOf(said).some((line) => /plain: part 1 of [2-9]/.test(line)),
    'by several parts',
  );
  const upTo900 = Array.from({ length: 900 }, (_, index) => index + 1);
  t.strictSame(ids('parts'), upTo900);
  t.strictSame(ids('kept'), upTo900);
  t.strictSame(ids('seen').length, 99 - 9);
  t.strictSame(ids('nothing'), []);
  t.strictSame(ids('other.plain'), [1]);
  t.strictSame(
    dataOf(said, 'one')
      .map(({ text }) => text)
      .sort(),
    ['', '\n', '\\.', null],
  );
  const { said: offered, files } = await readSegments(how, configured(catalog, {}, 'plain'));
  const [found] = await parquetRows(
    `SELECT count(*), count(DISTINCT id), sum(id) FROM read_parquet(${JSON.stringify(files).replaceAll('"', "'")})`,
  );
  const inLines = dataOf(offered);
  t.equal(Number(found?.[0]) + inLines.length, expected.length);
  t.equal(
    Number(found?.[2]) + inLines.reduce((sum, { id }) => sum + id, 0),
    expected.reduce((sum, id) => sum + id, 0),
  );
});

t.test('all parts show one moment, though rows change and move while they are read', async (t) => {
  const { sql, config } = await database();
  await sql(`CREATE TABLE moving (id int PRIMARY KEY, filler text); ALTER TABLE moving ALTER filler SET STORAGE PLAIN;
    INSERT INTO moving SELECT i, repeat('x', 4000) FROM generate_series(1, ${ROWS}) i`);
  const catalog = await discover(config());
  let isReading = true;
  const change = async () => {
    let round = 0;
    while (isReading) {
      round += 1;
      await sql(`UPDATE moving SET filler = repeat('y', 4000) WHERE id % 97 = ${round % 97}`);
      await sql(`DELETE FROM moving WHERE id = ${round}; INSERT INTO moving VALUES (${-round}, 'new')`);
    }
    return round;
  };
  const changing = change();
  const said = await read(config(), configured(catalog));
  isReading = false;
  t.ok((await changing) > 0);
  const ids = dataOf(said).map(({ id }) => Number(id));
  t.equal(new Set(ids).size, ids.length, 'no row twice');
  t.equal(ids.length, ROWS, 'each moment has so many rows');
});

t.test('a reading whose connection is lost ends with an error and without a state', async (t) => {
  const { sql, config, name } = await database();
  // A row takes a while, so that the copy goes on when it is looked for, however late that is.
  await sql(`CREATE TABLE rows (id int PRIMARY KEY, filler text); ALTER TABLE rows ALTER filler SET STORAGE PLAIN;
    INSERT INTO rows SELECT i, repeat('x', 4000) FROM generate_series(1, ${ROWS}) i;
    CREATE VIEW large AS SELECT id, filler, pg_sleep(0.01)::text AS slow FROM rows`);
  const catalog = await discover(config());
  const reading = read(
    config({ parallel_reads: 1 }),
    configured(catalog, { sync_mode: 'incremental', cursor_field: ['id'] }, 'large'),
  );
  const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = '${name}' AND application_name = 'weir' AND state = 'active' AND query LIKE 'COPY%'`;
  await until('a copy to end', async () => (await sql(ended)).length > 0, 'often');
  const said = await reading;
  t.equal(said.code, 1);
  t.match(errorOf(said), { internal_message: /^(connection_lost|server_stopping)$/, failure_type: 'transient_error' });
  t.notOk(said.messages.some((m) => m.trace?.stream_status?.status === 'COMPLETE'));
});
