import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { assignFieldIds, type Column, localPath, type TableSchema } from '@weir/lakehouse';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { ORDERS, selectWorld } from './select-kit.ts';

const HASTY_MS = 300;
const schemaOf = (columns: readonly Column[]): TableSchema => ({
  ...{ type: 'struct', 'schema-id': 0, fields: assignFieldIds(columns) },
});

t.test('a statement in a process of its own', async (t) => {
  const { lake, pin, selects, scratch, started } = await selectWorld(t);
  const inputs = [pin];
  const asked = { inputs, limit: 10, maxBytes: 100_000 };

  await t.test('what it reads, and what its columns are and come from → said without reading rows', async (t) => {
    const sql = `with x as (from ${ORDERS}) select note, sum(total) as total from x join Bronze."ACME".orders o using (note) group by 1`;
    t.strictSame(await selects.read(sql), { inputs: [ORDERS], places: { [ORDERS]: { line: 1, column: 17 } } });
    t.match(await selects.read('select 1 as one'), { inputs: [] });
    const described = await selects.describe({ sql: `select sum(id) as ids from ${ORDERS}`, inputs });
    t.strictSame(described.columns, [{ name: 'ids', type: 'decimal(38, 0)' }]);
    t.match(described.lineage.columns, [{ name: 'ids', sources: [{ table: ORDERS, column: 'id' }] }]);
  });

  await t.test('its first rows → exact, and whether there are more', async (t) => {
    const sql = `select id, total from ${ORDERS} order by id desc;`;
    t.strictSame(await selects.rows({ ...asked, sql, limit: 1 }), {
      columns: [
        { name: 'id', type: 'long' },
        { name: 'total', type: 'decimal(9,2)' },
      ],
      rows: [['3', '3.25']],
      truncated: true,
    });
  });

  await t.test('its result → files in the folder of the run, and drafts in none', async (t) => {
    const schema = schemaOf([{ name: 'id', type: 'long' }]);
    const folder = `file://${lake.root}/result/data/${randomUUID()}`;
    const sql = `select id from ${ORDERS}`;
    const done = await selects.run({ sql, inputs, schema, folder, store: pin.store });
    t.match(done, { rows: 3, files: [{ record_count: '3' }], checks: [] });
    const left = await readdir(localPath(folder));
    t.match(left, [/\.parquet$/]);
    t.equal(left.length, 1);
  });

  await t.test('a fault → refused with its place; a bound → a failure with its name', async (t) => {
    const refusal = (sql: string) => selects.rows({ ...asked, sql }).then(String, ({ faults }) => faults);
    t.strictSame(await refusal(`select 1,\n  nope from ${ORDERS}`), [
      { code: 'column_unknown', name: 'nope', nearest: 'note', line: 2, column: 3 },
    ]);
    t.match(await refusal('select 1 as a, 2 as A'), [{ code: 'column_duplicate', name: 'A' }]);
    t.match(await refusal(`select ${' '.repeat(100_001)} 1`), [{ code: 'too_complex' }]);
    await t.rejects(selects.rows({ ...asked, sql: "select repeat('x', 2000000000) as v" }), { code: 'out_of_memory' });
    await t.rejects(selects.rows({ ...asked, sql: `select id from ${ORDERS}`, signal: AbortSignal.abort() }), {
      code: 'cancelled',
    });
  });

  await t.test('a process that dies, or outlasts its deadline → named, and the next statement runs', async (t) => {
    const endless = 'with recursive r(n) as (select 1 union all select n % 7 from r) select max(n) as n from r';
    const lost = selects.rows({ ...asked, sql: endless });
    lost.catch(() => undefined);
    await until('it runs', async () =>
      (await readdir(scratch, { recursive: true })).some((one) => one.endsWith('spill')),
    );
    process.kill(started.at(-1) ?? 0, 'SIGKILL');
    await t.rejects(lost, { code: 'select_process_lost' });
    const hasty = await selectWorld(t, { deadlineMs: HASTY_MS });
    await t.rejects(hasty.selects.rows({ ...asked, sql: endless }), { code: 'query_deadline' });
    t.match(await selects.rows({ ...asked, sql: `select count(*) as n from ${ORDERS}` }), { rows: [['3']] });
    const left = (await readdir(scratch)).filter((one) => !one.startsWith('view'));
    t.strictSame(left, []);
  });
});
