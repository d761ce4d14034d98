import { provide } from '@weir/kernel';
import { testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { ARROW_STREAM, Inputs, type InputsService, Producers } from '@weir/plugin-datasets/contract';
import { Events } from '@weir/plugin-platform/contract';
import { tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { lake } from '../../datasets/test/kit.ts';
import { previewTransform, runQuery } from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { refused } from './kit.ts';

const ROWS = 5;

t.test('SQL over the datasets of a tenant', async (t) => {
  const world = await lake(t);
  const tenants = { acme: await world.tenant('acme'), other: await world.tenant('other') };
  const rows = Array.from({ length: ROWS }, (_, at) => ({ id: at + 1, name: `name ${at + 1}` }));
  const landed = await world.land(tenants.acme, 'orders', rows);
  await world.land(tenants.other, 'orders', [{ id: 99, name: 'of-another-tenant' }]);
  // The datasets plugin has a database of its own here: its tenants are those of the same alias.
  const inputs: InputsService = {
    ...world.inputs,
    pin: (tenant, asked) => world.inputs.pin(tenants[tenant.scope as keyof typeof tenants], asked),
  };
  const services = () => [
    ...[provide(Inputs, inputs), provide(Producers, world.producers)],
    provide(Events, { publish: async () => undefined }),
  ];
  const under = await testPlugin(t, plugin, { tools, services });
  await under.tenant('acme');
  await under.tenant('other');
  const { call } = under.as('acme');

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

  await t.test('an Arrow stream where it is accepted → the same rows and inputs', async (t) => {
    const answer = await under.app.inject({
      method: 'POST',
      url: '/api/v1/query',
      headers: { ...(await under.as('acme').headers()), accept: ARROW_STREAM },
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
    t.match(await ask('select * from bronze.acme.absent'), refused(404, 'not_found'));
    const wrong = await ask("select nope_column,\n getenv('HOME') from bronze.acme.orders");
    t.match(wrong, refused(422, 'sql_refused'));
    t.match(wrong, { problem: { faults: [{ code: 'function_refused', line: 2, column: 2 }] } });
    t.notMatch(JSON.stringify(wrong), /nope_column|getenv|HOME/);
    const value = await ask('select name::int from bronze.acme.orders');
    t.match(value, { problem: { code: 'sql_refused', faults: [{ code: 'value_invalid' }] } });
    t.notMatch(JSON.stringify(value), /name 1/);
  });
});
