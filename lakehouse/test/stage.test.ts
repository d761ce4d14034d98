import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import t from 'tap';
import { type Column, type ColumnType, createQueryPool, currentSchema, localPath } from '../src/index.ts';
import { EMITTED_AT, line, openLake, PATIENT, planned, SHAPE } from './lake.ts';

const NUL = String.fromCharCode(0);
/** A raw JSON token in a column of a type: the value that is stored (as previewed), or the reason of its error entry. */
const TYPING: readonly [ColumnType, string, unknown, string?][] = [
  ['long', '9223372036854775807', '9223372036854775807'],
  ['long', '-9223372036854775808', '-9223372036854775808'],
  ['long', '9223372036854775808', null, 'invalid_long'],
  ['long', '"12"', '12'],
  ['long', '1.5', null, 'invalid_long'],
  ['long', '2.0', null, 'invalid_long'],
  ['long', '"1e3"', null, 'invalid_long'],
  ['long', '"0x1F"', null, 'invalid_long'],
  ['long', '" 12 "', null, 'invalid_long'],
  ['long', '""', null, 'invalid_long'],
  ['long', '"abc"', null, 'invalid_long'],
  ['long', '{"a":1}', null, 'invalid_long'],
  ['long', 'null', null],
  ['int', '2147483648', null, 'invalid_int'],
  ['int', '-2147483648', -2147483648],
  ['double', '0.1', 0.1],
  ['double', '12', 12],
  ['double', '0.30000000000000004', 0.30000000000000004],
  ['double', '"1.50000000000000000000"', 1.5],
  ['double', '"5e-324"', 5e-324],
  ['double', '"1234567890123456.78"', 1234567890123456.8, 'precision_exceeded'],
  ['double', '0.123456789012345678901234567890', 0.12345678901234568, 'precision_exceeded'],
  ['double', '"1e-400"', 0, 'precision_exceeded'],
  ['double', '"NaN"', 'NaN'],
  ['double', 'Infinity', 'Infinity'],
  ['double', '"1e400"', null, 'invalid_double'],
  ['double', '"x"', null, 'invalid_double'],
  ['float', '0.5', 0.5],
  ['float', '"1e39"', null, 'invalid_float'],
  ['decimal(38, 9)', '"12345678901234567890.123456789"', '12345678901234567890.123456789'],
  ['decimal(18, 2)', '"1.50"', '1.50'],
  ['decimal(18, 2)', '"1.2300"', '1.23'],
  ['decimal(18, 2)', '"1.239"', '1.24', 'scale_exceeded'],
  ['decimal(18, 2)', '"99999999999999999"', null, 'invalid_decimal'],
  ['decimal(18, 2)', '"x.yyy"', null, 'invalid_decimal'],
  ['boolean', 'true', true],
  ['boolean', '"false"', false],
  ['boolean', '"maybe"', null, 'invalid_boolean'],
  ['boolean', '"T"', true],
  ['boolean', '0', false],
  ['boolean', '"yes"', null, 'invalid_boolean'],
  ['boolean', '"N"', null, 'invalid_boolean'],
  ['boolean', '"on"', null, 'invalid_boolean'],
  ['boolean', '" true"', null, 'invalid_boolean'],
  ['date', '"2024-02-29"', '2024-02-29'],
  ['date', '"2024-02-30"', null, 'invalid_date'],
  ['date', '"2024-02-29T10:00:00Z"', null, 'invalid_date'],
  ['date', '"2024-02-29 junk"', null, 'invalid_date'],
  ['date', '"infinity"', null, 'invalid_date'],
  ['date', '"-infinity"', null, 'invalid_date'],
  ['time', '"01:02:03.456"', '01:02:03.456'],
  ['time', '"01:02:03+02:00"', null, 'invalid_time'],
  ['time', '"2024-01-01T01:02:03"', null, 'invalid_time'],
  ['timestamp', '"2024-01-01T00:00:00.000001"', '2024-01-01T00:00:00.000001'],
  ['timestamp', '"2024-01-01"', '2024-01-01T00:00:00'],
  ['timestamp', '"2024-01-01 10:00"', '2024-01-01T10:00:00'],
  ['timestamp', '"2024-01-01T00:00:00Z"', null, 'invalid_timestamp'],
  ['timestamp', '"2024-01-01T00:00:00+02:00"', null, 'invalid_timestamp'],
  ['timestamp', '"2024-01-01T00:00:00-02:00"', null, 'invalid_timestamp'],
  ['timestamp', '"2024-01-01T00:00:00 UTC"', null, 'invalid_timestamp'],
  ['timestamp', '"infinity"', null, 'invalid_timestamp'],
  ['timestamptz', '"2024-01-01T00:00:00+02:00"', '2023-12-31T22:00:00Z'],
  ['timestamptz', '"2024-01-01T00:00:00"', '2024-01-01T00:00:00Z'],
  ['timestamptz', '"1969-12-31T23:59:59.999999Z"', '1969-12-31T23:59:59.999999Z'],
  ['timestamptz', '1700000000', null, 'invalid_timestamptz'],
  ['timestamptz', '"infinity"', null, 'invalid_timestamptz'],
  ['uuid', '"550e8400-e29b-41d4-a716-446655440000"', '550e8400-e29b-41d4-a716-446655440000'],
  ['uuid', '"x"', null, 'invalid_uuid'],
  ['binary', '"aGk="', 'aGk='],
  ['binary', '"!!"', null, 'invalid_binary'],
  ['string', '"NULL"', 'NULL'],
  ['string', '""', ''],
  ['string', '5', '5'],
  ['string', '{"a":[1,null]}', '{"a":[1,null]}'],
  ['string', `"a\\u0000b"`, `a${NUL}b`],
  ['string', `"O'Brien ü 😀"`, `O'Brien ü 😀`],
];

/** A token as `_extra` has it: what a text says, anything else as it was written. */
const textOf = (token: string): string => (token.startsWith('"') ? JSON.parse(token) : token);

t.test('staging', async (t) => {
  const lake = await openLake();
  const pool = createQueryPool(PATIENT);
  t.teardown(async () => {
    await pool.close();
    await lake.close();
  });
  const rowsOf = async (columns: readonly Column[], text: string) => {
    const { metadata } = await lake.table(columns);
    const schema = currentSchema(metadata);
    const staged = await lake.stage(metadata, schema, text);
    const files = planned(staged.file ? [staged.file.location] : []);
    const { rows } = await pool.preview({ files, schema, limit: 1000 });
    const named = rows.map((row) => Object.fromEntries(schema.fields.map((field, index) => [field.name, row[index]])));
    return { staged, rows: named, schema };
  };

  t.test('a value is stored exactly, or is NULL with an entry that says why', async (t) => {
    const columns = TYPING.map(([type], at): Column => ({ name: `v${at}`, type }));
    const tokens = TYPING.map(([, token], at) => `"v${at}":${token}`);
    const raw = line({ v: 'TOKENS' }).replace('"v":"TOKENS"', () => tokens.join());
    const { rows, staged } = await rowsOf(columns, raw + line({}));
    const marks = rows.flatMap((row) => row._errors as { field: string }[]);
    for (const [at, [type, token, value, reason]] of TYPING.entries()) {
      const field = `v${at}`;
      const change = reason?.endsWith('_exceeded') ? 'rounded' : 'nulled';
      t.strictSame(new Set(rows.map((row) => row[field])), new Set([value, null]), `${type} ${token}`);
      const marked = marks.filter((mark) => mark.field === field);
      t.strictSame(marked, reason ? [{ field, change, reason }] : [], `${type} ${token}`);
    }
    t.equal(staged.rowsWithErrors, 1, 'a row without values has no mark');
    const lost = TYPING.flatMap(([, token, , reason], at) => (reason === undefined ? [] : [[`v${at}`, textOf(token)]]));
    const kept = rows.flatMap((row) => (row._extra === null ? [] : [JSON.parse(String(row._extra))]));
    t.strictSame(kept, [Object.fromEntries(lost)], 'the text of each value that was nulled or rounded is in _extra');
  });

  t.test('each row carries its time, its run and what the source itself reported', async (t) => {
    const changes = [{ field: 'b', change: 'TRUNCATED', reason: 'SOURCE_FIELD_SIZE_LIMITATION' }];
    const columns: Column[] = [
      { name: 'a', type: 'long' },
      { name: 'b', type: 'string' },
    ];
    const { rows, staged } = await rowsOf(
      columns,
      line({ a: 1 }) + line({ a: 'x', b: 'y' }, { meta: { changes } }) + line({ a: 2, b: 'z' }, { meta: { changes } }),
    );
    const byA = new Map(rows.map((row) => [row.a, row]));
    t.match(byA.get('1'), { b: null, _errors: [], _run_id: 'run-1', _extra: null });
    t.equal(byA.get('1')?._extracted_at, new Date(EMITTED_AT).toISOString());
    t.strictSame(byA.get(null)?._errors, [{ field: 'a', change: 'nulled', reason: 'invalid_long' }, ...changes]);
    t.strictSame(byA.get('2')?._errors, changes);
    t.match(staged, { rows: 3, rowsWithErrors: 2, rowsWithExtra: 1 });
  });

  t.test('a bare value where an object or a list was → is NULL, marked, with its text in _extra', async (t) => {
    const { metadata } = await lake.table(['o', 'free'].map((name): Column => ({ name, type: 'string' })));
    const values = [{ a: 1 }, [1], null, 'text', 5, true];
    const lines = values.map((o, id) => line({ o, free: `text ${id}` })).join('');
    // With room for a witness the spool is read strictly, without it tolerantly; a long number makes lines be rewritten.
    for (const [room, more] of [
      [' '.repeat(4000), ''],
      ['', ''],
      ['', line({ free: 1 }).replace('"free":1', '"free":0.12345678901234567890123')],
    ] as const) {
      const source = join(lake.root, `${randomUUID()}.ndjson`);
      await writeFile(source, `${room}\n${lines}${more}`);
      const target = `${metadata.location}/data/${randomUUID()}.parquet`;
      const request = { source, shape: SHAPE, schema: currentSchema(metadata), target, runId: 'r', json: ['o'] };
      const staged = await lake.stager.copy(request);
      const files = planned(staged.file ? [staged.file.location] : []);
      const { rows } = await pool.preview({ files, schema: currentSchema(metadata), limit: 100 });
      const [o, free, , , errors, extra] = [0, 1, 2, 3, 4, 5].map((at) => rows.map((row) => row[at]));
      const mark = [{ field: 'o', change: 'nulled', reason: 'invalid_json' }];
      t.strictSame(o?.slice(0, 6), ['{"a":1}', '[1]', null, null, null, null]);
      t.strictSame(errors?.slice(0, 6), [[], [], [], mark, mark, mark]);
      t.strictSame(
        extra?.slice(3, 6).map((text) => JSON.parse(String(text))),
        [{ o: 'text' }, { o: '5' }, { o: 'true' }],
      );
      t.equal(free?.[3], 'text 3', 'another text column takes every text');
    }
  });

  t.test('members that no column holds are kept in _extra with their types', async (t) => {
    const columns: Column[] = [
      { name: 'a', type: 'long' },
      { name: 'b', type: 'string' },
    ];
    const other = { n: 5, s: '5', t: true, z: null, o: { q: [1] }, A: 'case' };
    const { rows, staged, schema } = await rowsOf(
      columns,
      line({ a: 1, ...other }) + line({ a: 2, b: null }) + line({}),
    );
    const byA = new Map(rows.map((row) => [row.a, row._extra]));
    t.strictSame(JSON.parse(String(byA.get('1'))), other);
    t.equal(byA.get('2'), null);
    t.equal(byA.get(null), null);
    t.match(staged, { rows: 3, rowsWithExtra: 1, rowsWithErrors: 0 });
    const { metadata } = await lake.table(columns);
    t.match(await lake.stage(metadata, schema, line({ a: 1, b: 'x' })), { rows: 1, rowsWithExtra: 0 });
  });

  t.test('a text that does not fit its column → in _extra under its name, cut after 8192 characters', async (t) => {
    const columns: Column[] = [
      { name: 'a "b"', type: 'long' },
      { name: 'day', type: 'date' },
      { name: 's', type: 'string' },
    ];
    const long = 'ü'.repeat(9_000);
    const lines = [
      { 'a "b"': 1, day: '2024-02-29', s: 'fits' },
      { 'a "b"': '"x"\n', day: 5, s: 'two' },
      { 'a "b"': { in: [1.5] }, s: 'nested' },
      { 'a "b"': long, s: 'long' },
    ];
    const kept = [
      null,
      { 'a "b"': '"x"\n', day: '5' },
      { 'a "b"': '{"in":[1.5]}' },
      { 'a "b"': `${long.slice(0, 8_192)}… [cut, 9000 characters]` },
    ];
    for (const more of [{}, { more: 1 }]) {
      const text = lines.map((one) => line({ ...one, ...more })).join('');
      const { rows, staged } = await rowsOf(columns, text);
      const bySort = new Map(rows.map((row) => [row.s, row]));
      for (const [at, { s }] of lines.entries()) {
        const wanted = kept[at] === null && !('more' in more) ? null : { ...more, ...kept[at] };
        t.strictSame(JSON.parse(String(bySort.get(s)?._extra)), wanted, `${s} ${Object.keys(more)}`);
      }
      t.match(staged, { rows: 4, rowsWithErrors: 3, rowsWithExtra: 'more' in more ? 4 : 3 });
    }
  });

  t.test('names with quotes, spaces and dots are only names', async (t) => {
    const names = ['a b', `q"z`, `it's`, 'a.b', '$[0]', 'ünï', 'select', '{x: 1}', '\\'];
    const columns: Column[] = names.map((name) => ({ name, type: 'long' }));
    const { rows, staged } = await rowsOf(columns, line(Object.fromEntries(names.map((name, index) => [name, index]))));
    for (const [index, name] of names.entries()) t.equal(rows[0]?.[name], String(index), name);
    t.match(staged, { rowsWithErrors: 0, rowsWithExtra: 0 });
    t.equal(Object.keys(staged.file?.lower_bounds ?? {}).length, names.length + 2);
  });

  t.test('a table without data columns still takes rows', async (t) => {
    const { rows } = await rowsOf([], line({}) + line({ a: 1 }));
    t.strictSame(new Set(rows.map((row) => row._extra)), new Set([null, '{"a":1}']));
  });

  t.test('a spool without rows makes no file', async (t) => {
    for (const text of ['', '\n\n']) {
      const { staged } = await rowsOf([{ name: 'a', type: 'long' }], text);
      t.strictSame(staged, { rows: 0, rowsWithErrors: 0, rowsWithExtra: 0, file: undefined });
    }
  });

  t.test('a spool with a line that is no row is malformed_lines, without its content and without a file', async (t) => {
    const good = line({ a: 'secret' });
    const bad: readonly (string | Buffer)[] = [
      '{"record":{"data":{"a":"sec',
      'secret\n',
      '[1]\n',
      '{}\n',
      '{"record":{"data":null,"emitted_at":1}}\n',
      '{"record":{"data":["secret"],"emitted_at":1}}\n',
      '{"record":{"data":{"a":"secret\\ud800"},"emitted_at":1}}\n',
      Buffer.concat([Buffer.from('{"record":{"data":{"a":"secret'), Buffer.from([0xff]), Buffer.from('"}}}\n')]),
      '{"record":{"data":{},"emitted_at":"secret"}}\n',
    ];
    const { metadata } = await lake.table([{ name: 'a', type: 'string' }]);
    for (const one of bad) {
      const text = Buffer.concat([Buffer.from(good), Buffer.from(one)]);
      const error = await lake.stage(metadata, currentSchema(metadata), text).catch((reason: Error) => reason);
      t.match(error, { code: 'malformed_lines' }, one.toString('latin1'));
      t.notMatch(JSON.stringify(error) + String(error) + String((error as Error).stack), /secret/);
    }
    t.strictSame(await readdir(join(localPath(metadata.location), 'data')), []);
    const missing = lake.stager.copy({
      source: join(lake.root, 'absent'),
      shape: { data: ['d'], extractedAt: ['t'] },
      schema: currentSchema(metadata),
      target: `${metadata.location}/data/x.parquet`,
      runId: 'r',
    });
    await t.rejects(missing, { code: 'file_missing' });
  });

  t.test('a very long line is read as well', async (t) => {
    const { metadata } = await lake.table([{ name: 'a', type: 'string' }]);
    const text = line({ a: 'x'.repeat(20 << 20) }) + line({ a: 'y' });
    t.equal((await lake.stage(metadata, currentSchema(metadata), text)).rows, 2);
  });

  t.test('fields carry the ids of the schema in the file itself, nested ones too', async (t) => {
    const { staged, schema } = await rowsOf([{ name: 'a', type: 'long' }], line({ a: 1 }));
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const path = localPath(staged.file?.location ?? '').replaceAll("'", "''");
    const reader = await connection.runAndReadAll(`select name, field_id from parquet_schema('${path}')`);
    const ids = new Map(reader.getRowsJson().map(([name, id]) => [name, id]));
    connection.closeSync();
    t.strictSame(
      schema.fields.map((field) => ids.get(field.name)),
      schema.fields.map((field) => String(field.id)),
    );
    t.strictSame(
      ['element', 'field', 'change', 'reason'].map((name) => ids.get(name)),
      ['6', '7', '8', '9'],
    );
  });

  t.test('a damaged data file is parquet_invalid and an absent one file_missing; the pool goes on', async (t) => {
    const { staged, schema, rows } = await rowsOf([{ name: 'a', type: 'long' }], line({ a: 1 }));
    const whole = await readFile(localPath(staged.file?.location ?? ''));
    const cut = join(lake.root, 'cut.parquet');
    for (const length of [0, 3, 40, whole.length - 9, whole.length - 1]) {
      await writeFile(cut, whole.subarray(0, length));
      await t.rejects(
        pool.preview({ files: planned([cut]), schema, limit: 1 }),
        { code: 'parquet_invalid' },
        `${length}`,
      );
    }
    const absent = pool.preview({ files: planned([join(lake.root, 'none.parquet')]), schema, limit: 1 });
    await t.rejects(absent, { code: 'file_missing' });
    t.equal(rows.length, 1);
    const again = await pool.preview({
      files: planned([staged.file?.location ?? '']),
      schema,
      columns: ['a'],
      limit: 5,
    });
    t.strictSame(again.rows, [['1']]);
  });
});
