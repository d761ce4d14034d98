import { writeFile } from 'node:fs/promises';
import t from 'tap';
import { HASTY_MS } from '../../test/until.ts';
import { createQueryPool } from '../src/index.ts';
import { plannedFiles } from '../src/scan/plan-read.ts';
import { PATIENT } from './lake.ts';
import { readingPlace, schemaOf } from './typed-table.ts';

const REFUSED = /^query_(refused|failed)$/;

/** Statements that would reach out of the sample, or be more than one SELECT. */
const HOSTILE = [
  "SELECT * FROM read_csv('{path}')",
  "SELECT * FROM read_text('{path}')",
  "SELECT * FROM read_blob('{path}')",
  "SELECT * FROM read_parquet('{path}')",
  "SELECT * FROM glob('{path}')",
  "SELECT * FROM sniff_csv('{path}')",
  "SELECT * FROM '{path}'",
  "SELECT * FROM read_csv('http://127.0.0.1:1/x')",
  "COPY sample TO '{path}.out'",
  "ATTACH '{path}.db' AS other",
  'INSTALL httpfs',
  'LOAD httpfs',
  'RESET lock_configuration',
  'SET enable_external_access = true',
  "PRAGMA enable_profiling='json'",
  'CREATE TABLE other AS SELECT 1',
  'DROP TABLE sample',
  'SELECT 1; SELECT 2',
  'SELECT 1; DROP TABLE sample',
  "EXPORT DATABASE '{path}.dir'",
  "CALL enable_logging(storage = 'file', storage_path = '{path}.log')",
  "SELECT getenv('HOME')",
  'SELECT * FROM nothing',
  'no statement at all',
  '',
];

t.test('a sample', async (t) => {
  const { folder, writer, pool } = await readingPlace(t);
  const schema = schemaOf(['int', 'string', 'decimal(18, 2)']);
  const rows = Array.from({ length: 5 }, (_, at) => [String(at), `name ${at}`, `${at}.50`]);
  const first = await writer.write(schema, rows.slice(0, 3));
  const second = await writer.write(schema, rows.slice(3));
  const files = plannedFiles([first, second]);
  const ask = (sql: string, more: object = {}) =>
    pool.sample({ files, schema, columns: ['c2', 'c1'], rows: 10, selects: [{ sql, maxRows: 100 }], ...more });

  t.test('holds the wanted columns of the first rows, in reading order, by their places', async (t) => {
    const sql = 'SELECT r, c0, c1 FROM sample ORDER BY r';
    t.strictSame(await ask(sql, { rows: 4 }), {
      rows: 4,
      more: true,
      results: [[[0, 1, 2, 3], rows.slice(0, 4).map(([, name]) => name), [0, 1, 2, 3]]],
    });
    t.match(await ask(sql), { rows: 5, more: false });
    t.strictSame(await ask(sql, { files: [] }), { rows: 0, more: false, results: [[[], [], []]] });
    t.strictSame((await ask('SELECT c0 FROM sample', { columns: ['c3'], rows: 1 })).results, [[['0.50']]]);
  });

  t.test('answers several statements, and nothing of one request is left for the next', async (t) => {
    const selects = ['SELECT count(*)::INTEGER FROM sample', 'SELECT max(c1) FROM sample'];
    const { results } = await ask('', { selects: selects.map((sql) => ({ sql, maxRows: 1 })) });
    t.strictSame(results, [[[5]], [[4]]]);
    const tables = await ask('SELECT table_name FROM duckdb_tables()');
    t.strictSame(tables.results, [[['sample']]]);
  });

  t.test('keeps the rows of a statement for those behind it', async (t) => {
    const select = (sql: string, as?: string) => ({ sql, maxRows: 9, ...(as !== undefined && { as }) });
    const selects = [select('SELECT c1 * 2 AS d FROM sample', 'kept'), select('SELECT sum(d)::INTEGER FROM kept')];
    t.strictSame((await ask('', { selects })).results, [[], [[20]]]);
    for (const [sql, as] of [
      ['SELECT 1', 'a b'],
      ['SELECT 1', 'x AS SELECT 2; DROP TABLE sample; --'],
      ['SELECT 1; DROP TABLE sample', 'kept'],
      ["COPY sample TO '/tmp/x'", 'kept'],
    ] as const) {
      await t.rejects(ask('', { selects: [select(sql, as)] }), { code: REFUSED }, sql);
    }
    await t.rejects(ask('SELECT * FROM kept'), { code: 'query_failed' }, 'nothing is kept for the next request');
  });

  t.test('reaches nothing else', async (t) => {
    await writeFile(`${folder}/secret.csv`, 'a\nsecret\n');
    for (const sql of HOSTILE) {
      const refused = ask(sql.replaceAll('{path}', `${folder}/secret.csv`));
      await t.rejects(refused, { code: REFUSED }, sql);
    }
    t.match(await ask('SELECT 1'), { rows: 5 });
  });

  t.test('answers no more rows than a statement may have', async (t) => {
    const selects = [{ sql: 'SELECT r FROM sample', maxRows: 4 }];
    await t.rejects(ask('', { selects }), { code: 'result_too_large' });
    const wide = "SELECT repeat('x', 1000000) FROM range(40)";
    await t.rejects(ask(wide), { code: 'result_too_large' });
  });

  t.test('ends at its deadline, and the previews beside it go on', async (t) => {
    const short = createQueryPool({ ...PATIENT, sampleDeadlineMs: HASTY_MS });
    t.teardown(() => short.close());
    const endless = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b';
    const request = { files, schema, columns: ['c1'], rows: 10, selects: [{ sql: endless, maxRows: 1 }] };
    const [late, page] = await Promise.allSettled([short.sample(request), short.preview({ files, schema, limit: 1 })]);
    t.match(late, { reason: { code: 'query_deadline' } });
    t.match(page, { status: 'fulfilled' });
  });
});
