import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, openSync, statSync, utimesSync, writeSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { PATIENT_MS } from '../../test/until.ts';
import {
  assignFieldIds,
  type Column,
  type ColumnType,
  createScanner,
  createSelector,
  currentSchema,
  evolveSchema,
  localPath,
  type PinnedRows,
  pinnedRows,
  prepareAppend,
  type SelectorOptions,
  type TableMetadata,
  type TableSchema,
  withMetaColumns,
} from '../src/index.ts';
import { type Lake, line, openLake } from './lake.ts';

const HASTY_MS = 200;
const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'int' },
  { name: 'total', type: 'decimal(9, 2)' },
];

/** A table of two files, of which the second was written under a wider schema. */
async function orders(lake: Lake): Promise<{ metadata: TableMetadata; pinned: PinnedRows }> {
  const { io } = lake;
  let at = await lake.table(COLUMNS);
  const wide = evolveSchema(
    currentSchema(at.metadata),
    withMetaColumns([
      { name: 'id', type: 'long' },
      { name: 'note', type: 'string' },
    ]),
  );
  for (const [schema, rows] of [
    [
      currentSchema(at.metadata),
      [
        { id: 1, total: '1.25' },
        { id: 2, total: '2.25' },
      ],
    ],
    [wide.schema, [{ id: 3, total: '3.25', note: 'late' }]],
  ] as const) {
    const { file } = await lake.stage(at.metadata, schema, rows.map((row) => line(row)).join(''));
    const commit = await prepareAppend({ io, ...at, files: file ? [file] : [], schema });
    at = { metadata: commit.metadata, metadataLocation: commit.newMetadataLocation };
  }
  const files = await createScanner({ io }).files(at.metadata);
  return { metadata: at.metadata, pinned: pinnedRows(at.metadata, { files, schema: currentSchema(at.metadata) }) };
}

const schemaOf = (columns: readonly Column[]): TableSchema => ({
  ...{ type: 'struct', 'schema-id': 0, fields: assignFieldIds(columns) },
});

t.test('a SELECT over pinned inputs', async (t) => {
  const lake = await openLake();
  t.teardown(() => lake.close());
  const { metadata, pinned } = await orders(lake);
  const inputs = new Map([['orders', structuredClone(pinned)]]);
  const paths = pinned.files.map(({ location }) => localPath(location));
  const selector = (more: Partial<SelectorOptions> = {}) =>
    createSelector({
      ...{ io: lake.io, scratch: join(lake.root, 'scratch'), memoryLimit: '400MB', threads: 1, deadlineMs: PATIENT_MS },
      ...{ gate: () => undefined, ...more },
    });
  const place = () => `${metadata.location}/data/${randomUUID()}`;
  const left = async (folder: string) => readdir(localPath(folder)).catch(() => []);

  await t.test('is described, written under the ids of the table, and read again', async (t) => {
    const sql = 'select note, sum(id) as ids, sum(total) as total from orders group by note order by note -- all';
    const columns = await selector().describe(sql, inputs);
    t.strictSame(columns, [
      { name: 'note', type: 'string' },
      { name: 'ids', type: 'decimal(38, 0)' },
      { name: 'total', type: 'decimal(38, 2)' },
    ]);
    const schema = schemaOf(columns);
    const folder = place();
    const done = await selector().run({ sql, inputs, schema, folder });
    t.match(done, { rows: 2, files: [{ record_count: '2' }], checks: [] });
    const table = { schemas: [schema], properties: {} };
    const files = done.files.map(({ location }, file) => {
      return { location, file, sequenceNumber: 1n, partitionKey: '', deletes: [] };
    });
    const again = new Map([['r', { files, schema, table }]]);
    const count = await selector().run({
      ...{ sql: 'select * from r', inputs: again, schema, folder: place() },
      checks: [
        { name: 'is late', sql: `select * from result where note = 'late' and ids = 3 and total = 3.25`, blocks: true },
        { name: 'is wrong', sql: 'select * from result where ids not in (3)', blocks: true },
      ],
    });
    t.match(count, {
      isBlocked: true,
      rows: 2,
      files: [],
      checks: [{ name: 'is late', failures: '1' }, { failures: '0' }],
    });
  });

  await t.test('checks read the table as it will be: what is written, and what stays beside it', async (t) => {
    const schema = currentSchema(metadata);
    const fields = schema.fields.filter(({ name }) => ['id', 'note'].includes(name));
    const onto = { ...structuredClone(pinned), schema: { ...schema, fields } };
    const found = async (sql: string, replaces: string[], within?: { changed: PinnedRows; columns: string[] }) => {
      const checks = ['from result', 'from written', 'from result where id = 2'].map((text) => {
        return { name: text, sql: text, blocks: false };
      });
      const run = {
        sql,
        inputs,
        schema: { ...schema, fields },
        folder: place(),
        onto: { rows: onto, replaces },
        checks,
      };
      const ran = await selector().run({ ...run, ...(within && { within: { input: 'orders', ...within } }) });
      return ran.checks.map(({ failures }) => failures);
    };
    const two = "select 2::bigint as id, 'new' as note";
    t.strictSame(await found(two, []), ['4', '1', '2'], 'rows are added');
    t.strictSame(await found(two, ['ID']), ['3', '1', '1'], 'the row of its key goes');
    t.strictSame(await found(`${two} where false`, ['id']), ['3', '0', '1'], 'nothing is written');
    t.strictSame(await found('select id, note from orders where id > 2', ['note']), ['3', '1', '1']);
    // Over the changed rows it gives 1 and 2, over all of them 2 and 3.
    const moving = 'select id, note from orders where id > (select count(*) from orders) - 2';
    const files = pinned.files.toSorted((a, b) => Number(a.sequenceNumber - b.sequenceNumber)).slice(0, 1);
    const changed = { ...structuredClone(pinned), files };
    t.strictSame(await found(moving, ['id'], { changed, columns: ['id'] }), ['2', '1', '1'], 'a key went');
  });

  await t.test('what may have changed is found whatever the values are', async (t) => {
    const schema = schemaOf([
      { name: 'k', type: 'string' },
      { name: 'n', type: 'long' },
    ]);
    const within = { input: 'orders', changed: structuredClone(pinned), columns: ['k'] };
    const long = `repeat('z', 2000)`;
    for (const keys of [
      "'b', 'it''s', ''",
      `'b', chr(0), '"'`,
      `'b', NULL, 'a'`,
      `'b', ${long}, 'a'`,
      "'ä', 'z', 'A'",
    ]) {
      const sql = `select k, count(*) as n from (select unnest([${keys}]) as k from orders) group by k`;
      const done = await selector().run({ sql, inputs, schema, folder: place(), within });
      t.match(done, { rows: 3, gone: [] }, keys);
    }
    const days = "select id, date '2026-01-01' + id::int as day, total::decimal(38, 2) as v from orders";
    const typed = schemaOf(await selector().describe(days, inputs));
    const of = { sql: days, inputs, schema: typed, folder: place(), within: { ...within, columns: ['day', 'v'] } };
    t.match(await selector().run(of), { rows: 3 });
  });

  await t.test('every type of a result has a column or is refused by its name', async (t) => {
    const described = (sql: string) =>
      selector()
        .describe(`select ${sql} as v`, inputs)
        .then(([column]) => column?.type);
    for (const [sql, type] of [
      ['1::utinyint', 'int'],
      ['1::uinteger', 'long'],
      ['1::ubigint', 'decimal(20, 0)'],
      ['1::hugeint', 'decimal(38, 0)'],
      ["'a'::enum ('a', 'b')", 'string'],
      ['uuid()', 'uuid'],
      ["time '01:02:03'", 'time'],
      ["timestamp_s '2024-01-01'", 'timestamp'],
      ["[{'a': 1}]", { list: { struct: [{ name: 'a', type: 'int' }] } }],
      ["map {'a': 1::smallint}", { map: { key: 'string', value: 'int' } }],
    ] as const) {
      t.strictSame(await described(sql), type, sql);
    }
    for (const sql of [
      "interval '1' day",
      "timestamp_ns '2024-01-01'",
      '1::uhugeint',
      "'1'::bit",
      "[time '1:02:03'::timetz]",
    ]) {
      await t.rejects(described(sql), { code: 'unsupported_type', columns: ['v'] }, sql);
    }
    await t.rejects(selector().describe('select 1 as a, 2 as "A"', inputs), { code: 'column_duplicate' });
  });

  await t.test('it reaches its inputs alone, and leaves no file when it fails', async (t) => {
    const schema = schemaOf([{ name: 'v', type: 'string' }]);
    const secret = join(lake.root, 'spill-secret.csv');
    for (const sql of [
      "select content as v from read_text('/etc/passwd')",
      `select 'x' as v from read_csv('${secret}')`,
      "select getenv('HOME') as v",
      "select 'x' as v from read_parquet('https://example.com/a.parquet')",
      "select error('boom') as v from orders",
    ]) {
      const folder = place();
      await t.rejects(selector().run({ sql, inputs, schema, folder }), { name: 'LakehouseError' }, sql);
      t.strictSame(await left(folder), []);
    }
    const refused = new Error('refused');
    const gate: SelectorOptions['gate'] = ({ ast, inputs: names, sql }) => {
      t.match([ast, names, sql], [{ error: false, statements: [{}] }, ['orders'], 'select 1 as v']);
      throw refused;
    };
    await t.rejects(selector({ gate }).describe('select 1 as v', inputs), refused);
  });

  await t.test('a sort of more than the memory bound spills within the fence', async (t) => {
    const schema = schemaOf([{ name: 'v', type: 'string' }]);
    const sql = 'select repeat(md5(range::varchar), 4) as v from range(1000000) order by v';
    const folder = place();
    const done = await selector({ memoryLimit: '110MB' }).run({ sql, inputs, schema, folder });
    t.match(done, { rows: 1_000_000 });
  });

  await t.test('the first rows of a statement → exact values in its order, and whether there are more', async (t) => {
    const named = new Map([['silver.acme.orders', structuredClone(pinned)]]);
    const ask = { inputs: named, limit: 2, maxBytes: 1_000 };
    const sql =
      'select silver.acme.orders.id, total, sum(id) over () as s, 1::uhugeint as u from silver.acme.orders order by id desc; -- x';
    const first = await selector().rows({ sql, ...ask });
    t.strictSame(first.rows, [
      ['3', '3.25', '6', '1'],
      ['2', '2.25', '6', '1'],
    ]);
    t.match(first, { truncated: true, columns: [{ type: 'long' }, { type: 'decimal(9, 2)' }, {}, { type: 'string' }] });
    t.match(await selector().rows({ sql, ...ask, limit: 3 }), { truncated: false, rows: { length: 3 } });
    const long = "select repeat('x', 400) as v from range(9)";
    t.match(await selector().rows({ sql: long, ...ask, limit: 9 }), { truncated: true, rows: { length: 2 } });
    await t.rejects(selector().rows({ sql: long, ...ask, maxBytes: 300 }), { code: 'result_too_large' });
    const stream = await selector().rows({ sql, ...ask, arrow: { 'weir.made': 'here' } });
    const table = tableFromIPC(stream.rows as Uint8Array);
    t.match([table.numRows, table.schema.metadata.get('weir.made'), table.getChild('id')?.get(0)], [2, 'here', 3n]);
  });

  await t.test('a fault of a statement → its kind and place, and no value of a row', async (t) => {
    const faultOf = (sql: string, limit = 9) =>
      selector()
        .rows({ sql, inputs, limit, maxBytes: 1_000 })
        .catch(({ code, fault, message }) => ({ code, ...fault, isQuiet: !/late/.test(message) }));
    const about = { code: 'column_unknown', name: 'nope', nearest: 'note', offset: 11, isQuiet: true };
    t.strictSame(await faultOf("select 'é',nope from orders".replace('é', 'e')), about);
    for (const [sql, fault] of [
      ['select id as i from orders o, orders where id = 1', { code: 'column_ambiguous', name: 'id', offset: 7 }],
      ['select id, total as t from orders group by id', { code: 'column_not_grouped', name: 'total', offset: 11 }],
      ['select sum(note) as v from orders', { code: 'function_mismatch', name: 'sum', offset: 7 }],
      [
        'select note::int as v from orders',
        { code: 'value_invalid', offset: 11, types: { from: 'VARCHAR', to: 'INT32' } },
      ],
      [
        "select (note || ' to INT8')::date as v from orders",
        { code: 'value_invalid', types: { from: 'VARCHAR', to: 'DATE' } },
      ],
      ["select (note || ' to SECRET')::double as v from orders", { code: 'value_invalid', types: { to: 'DOUBLE' } }],
      ["select error('boom ' || note) as v from orders", { code: 'value_invalid' }],
      ['select id as v from orders where sum(id) > 1', { code: 'statement_invalid' }],
    ] as const) {
      t.match(await faultOf(sql), { ...fault, isQuiet: true }, sql);
    }
  });

  await t.test('times that readers of the format cannot hold → the column, and nothing written', async (t) => {
    const written = async (type: ColumnType, value: string) => {
      const folder = place();
      const schema = schemaOf([{ name: 'at "é"', type }]);
      const sql = `select ${value} as "at ""é""" union all select null`;
      const said = await selector()
        .run({ sql, inputs, schema, folder })
        .then(
          ({ rows }) => `${rows} rows`,
          ({ fault }) => `${fault.code} ${fault.name} ${fault.types.from} ${fault.types.to}`,
        );
      return [said, (await left(folder)).length];
    };
    const years = (type: string) => [`value_invalid at "é" ${type} the years 1 to 9999`, 0];
    t.strictSame(await written('date', "date 'infinity'"), years('DATE'));
    t.strictSame(await written('date', "date '10000-01-01'"), years('DATE'));
    t.strictSame(await written('timestamp', "timestamp '-infinity'"), years('TIMESTAMP'));
    t.strictSame(await written('timestamptz', "timestamptz '0044-03-15 (BC) 00:00:00'"), years('TIMESTAMPTZ'));
    t.strictSame(await written({ list: 'date' }, "[date '2026-01-01', date '290000-01-01']"), years('DATE'));
    t.match((await written('time', "time '24:00:00'"))[0], /a day, which ends/);
    t.strictSame(await written('timestamp', "timestamp '9999-12-31 23:59:59.999999'"), ['2 rows', 1]);
    t.strictSame(await written('date', "date '0001-01-01'"), ['2 rows', 1]);
    const ask = { inputs, limit: 1, maxBytes: 1_000 };
    const shown = await selector().rows({
      sql: "select date 'infinity' a, date '-infinity' b, timestamp 'infinity' c",
      ...ask,
    });
    t.strictSame(shown.rows, [['infinity', '-infinity', 'infinity']]);
  });

  await t.test('a statement that spills more than it may → spill_full', async (t) => {
    const small = selector({ memoryLimit: '110MB', spillLimit: '10MB' });
    const sql = 'select md5(range::varchar) || md5((range + 1)::varchar) as v from range(3000000) order by v';
    const schema = schemaOf([{ name: 'v', type: 'string' }]);
    await t.rejects(small.run({ sql, inputs, schema, folder: place() }), { code: 'spill_full' });
  });

  await t.test('an input that changes and a deadline end it, with nothing written', async (t) => {
    const schema = schemaOf([{ name: 'v', type: 'long' }]);
    const folder = place();
    const touch: SelectorOptions['gate'] = () => void utimes(paths[0] ?? '', 1, 1);
    const changed = selector({ gate: touch }).run({ sql: 'select id as v from orders', inputs, schema, folder });
    await t.rejects(changed, { code: 'input_changed' });
    t.strictSame(await left(folder), []);
    const endless = 'select count(*) as v from range(10000000000) a, range(10000000000) b where a.range + b.range = 7';
    const late = selector({ deadlineMs: HASTY_MS }).run({ sql: endless, inputs, schema, folder: place() });
    await t.rejects(late, { code: 'query_deadline' });
    const [path = ''] = paths;
    const { mode, size } = await stat(path);
    t.equal(mode & 0o222, 0, 'nobody may write a file of a table');
    const forge: SelectorOptions['gate'] = () => {
      chmodSync(path, 0o644);
      const before = statSync(path);
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.from([0xff]), 0, 1, size - 9);
      closeSync(file);
      utimesSync(path, before.atime, before.mtime);
    };
    const forged = selector({ gate: forge }).run({ sql: 'select 1 as v', inputs, schema, folder: place() });
    await t.rejects(forged, { code: 'input_changed' }, 'a footer under the same size and time');
  });
});
