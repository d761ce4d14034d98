import { ARROW_STREAM } from '@weir/plugin-datasets/contract';
import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { previewTransform, runQuery } from '../src/contract.ts';
import { refused } from './kit.ts';
import { queryWorld, ROWS } from './query-kit.ts';

t.test('SQL over the datasets of a tenant', async (t) => {
  const { app, as, landed } = await queryWorld(t);
  const { call } = as('acme');

  await t.test('one SELECT → rows, types and snapshots, the same as a preview of a definition', async (t) => {
    const sql = 'select id, name, id::decimal(9, 2) as d from bronze.acme.orders order by id desc';
    for (const endpoint of [runQuery, previewTransform]) {
      const found = await call(endpoint, { body: { sql, limit: 1 } });
      t.match(found, {
        ok: true,
        body: {
          columns: [
            { name: 'id', type: 'long' },
            { name: 'name', type: 'string' },
            { name: 'd', type: 'decimal(9,2)' },
          ],
          rows: [['5', 'name 5', '5.00']],
          truncated: true,
          inputs: [{ dataset_id: 'bronze.acme.orders', snapshot_id: landed.snapshotId }],
          elapsed_ms: Number,
        },
      });
    }
    const alone = await call(runQuery, { body: { sql: 'select 1 as one' } });
    t.match(alone, { body: { rows: [[1]], truncated: false, inputs: [] } });
  });

  await t.test('a page with many charts asks at once → each is answered', async (t) => {
    const asked = Array.from({ length: 7 }, (_, at) => call(runQuery, { body: { sql: `select ${at} as at` } }));
    const answers = await Promise.all(asked);
    t.strictSame(
      answers.map((one) => (one.ok ? one.body.rows : one.problem.code)),
      answers.map((_, at) => [[at]]),
    );
  });

  await t.test('an Arrow stream where it is accepted → the same rows and inputs', async (t) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/query',
      headers: { ...(await as('acme').headers()), accept: ARROW_STREAM },
      payload: { sql: 'select id from bronze.acme.orders order by id' },
    });
    t.match(answer.headers, { 'content-type': ARROW_STREAM, 'x-truncated': 'false' });
    const table = tableFromIPC(answer.rawPayload);
    t.equal(table.numRows, ROWS);
    t.match(table.schema.metadata.get('weir.inputs'), landed.snapshotId ?? '');
  });

  await t.test('tables of others, absent ones and faults → refused alike, and nothing of them told', async (t) => {
    const ask = (sql: string) => call(runQuery, { body: { sql } });
    t.match(await ask('select * from bronze.other.orders'), refused(403, 'dataset_not_readable'));
    t.match(await ask('select * from bronze.other.absent'), refused(403, 'dataset_not_readable'));
    const absent = await ask('select *\nfrom bronze.acme.order');
    t.match(absent, refused(409, 'input_missing'));
    const meant = { dataset_id: 'bronze.acme.order', line: 2, column: 6 };
    t.match(absent, { problem: { faults: [meant], errors: [{ pointer: '/sql', message: /cannot be found/ }] } });
    const near = await ask('select cuont(*) from bronze.acme.orders');
    t.match(near, { problem: { faults: [{ code: 'function_unknown', nearest: 'count', line: 1, column: 8 }] } });
    const wrong = await ask("select nope_column,\n getenv('HOME') from bronze.acme.orders");
    t.match(wrong, refused(422, 'sql_refused'));
    t.match(wrong, { problem: { faults: [{ code: 'function_refused', line: 2, column: 2 }] } });
    t.notMatch(JSON.stringify(wrong), /nope_column|getenv|HOME/);
    const value = await ask('select name::int from bronze.acme.orders');
    t.match(value, { problem: { code: 'sql_refused', faults: [{ code: 'value_invalid' }] } });
    t.notMatch(JSON.stringify(value), /name 1/);
  });
});
