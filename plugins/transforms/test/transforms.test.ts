import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { ORDERS, refused, SQL, setUp } from './kit.ts';

t.test('a transform is created, read, changed and deleted; each change is published in its transaction', async (t) => {
  const { acme, call, create, hints } = await setUp(t);
  const made = await create('by_day', { tags: ['daily'], description: 'Orders a day' });
  const { transform_id } = made;
  const params = { transform_id };
  t.match(made, {
    ...{ name: 'by_day', sql: SQL, output: `gold.${acme.scope}.by_day`, materialization: 'full', dialect: 'duckdb' },
    ...{ tags: ['daily'], artifact_id: null, archived: false, last_run: null, etag: '1' },
  });
  t.match(await call(endpoints.getTransform, { params }), { ok: true, body: made });
  const patch = { description: null, tags: null, materialization: 'append' as const };
  t.match(await call(endpoints.changeTransform, { params, body: patch }), {
    body: { description: null, tags: [], materialization: 'append', sql: SQL, etag: '2' },
  });
  const stale = { 'if-match': '"1"' };
  t.match(
    await call(endpoints.changeTransform, { params, body: { name: 'x' } }, stale),
    refused(412, 'precondition_failed'),
  );
  t.match(await call(endpoints.changeTransform, { params, body: { archived: true } }), { body: { archived: true } });
  t.match(await call(endpoints.deleteTransform, { params }), { ok: true });
  t.match(await call(endpoints.getTransform, { params }), refused(404, 'not_found'));
  t.strictSame(
    hints,
    ['1', '2', '3', 'deleted'].map((version) => ({ topic: 'transform', id: transform_id, version })),
  );
});

t.test(
  'members that do not go with the materialization → refused by pointer; a patch is judged as a whole',
  async (t) => {
    const { call, create } = await setUp(t);
    const output = 'gold.acme.keyed';
    const ask = async (more: object) => {
      const answer = await call(endpoints.createTransform, { body: { name: 'keyed', sql: SQL, output, ...more } });
      if (answer.ok) return 'made';
      const errors = (answer.problem.errors ?? []) as { pointer: string; code: string }[];
      return `${answer.problem.code} ${errors.map(({ pointer, code }) => `${pointer} ${code}`).join(', ')}`;
    };
    const refusal = (errors: string) => `materialization_refused ${errors}`;
    t.equal(await ask({ materialization: 'merge' }), refusal('/key required'));
    t.equal(await ask({ materialization: 'merge', key: ['id', 'ID'] }), refusal('/key column_doubled'));
    t.equal(
      await ask({ materialization: 'partition_overwrite', key: ['id'] }),
      refusal('/key not_of_materialization, /partition_by required'),
    );
    t.equal(
      await ask({ key: ['id'], incremental: 'bronze.acme.orders' }),
      refusal('/key not_of_materialization, /incremental not_of_materialization'),
    );
    const { transform_id, ...made } = await create('merged', {
      materialization: 'merge',
      key: ['id'],
      incremental: ORDERS,
    });
    t.match(made, { key: ['id'], partition_by: [], incremental: ORDERS });
    const params = { transform_id };
    const patch = (body: object) => call(endpoints.changeTransform, { params, body });
    t.match(await patch({ materialization: 'append' }), refused(422, 'materialization_refused'));
    t.match(await patch({ materialization: 'append', key: null }), {
      body: { materialization: 'append', key: [], incremental: ORDERS },
    });
    t.match(await patch({ materialization: 'full', incremental: null }), { body: { incremental: null } });
  },
);

t.test('a list → filters, orders and pages; archived transforms only when asked for', async (t) => {
  const { call, create } = await setUp(t);
  const one = await create('b_one', { tags: ['x', 'y'] });
  await create('a_two', { materialization: 'append', output: 'silver.acme.two' });
  const old = await create('c_old', { tags: ['x'] });
  await call(endpoints.changeTransform, { params: { transform_id: old.transform_id }, body: { archived: true } });
  const names = async (query: object) => {
    const answer = await call(endpoints.listTransforms, { query });
    return answer.ok ? answer.body.items.map(({ name }) => name) : answer.problem.code;
  };
  t.strictSame(await names({}), ['a_two', 'b_one']);
  t.strictSame(await names({ order: '-name', limit: 1 }), ['b_one']);
  t.strictSame(await names({ order: 'created_at' }), ['b_one', 'a_two']);
  t.strictSame(await names({ tag: 'x' }), ['b_one']);
  t.strictSame(await names({ tag: 'x', archived: true }), ['c_old']);
  t.strictSame(await names({ name: 'c_old' }), ['c_old'], 'a name is found in any state');
  t.strictSame(await names({ name: 'c_old', archived: false }), []);
  t.strictSame(await names({ output: one.output }), ['b_one']);
  t.strictSame(await names({ materialization: 'append' }), ['a_two']);
  t.strictSame(await names({ page_token: 'bad' }), 'invalid_page_token');
});

t.test('an output that another producer has, or outside of what transforms write → refused by code', async (t) => {
  const { acme, kernel, call, create } = await setUp(t);
  const { output } = await create('first');
  const body = { name: 'second', sql: SQL, output };
  const ask = async (more: object) => {
    const answer = await call(endpoints.createTransform, { body: { ...body, ...more } });
    return answer.ok ? 'made' : `${answer.problem.status} ${answer.problem.code}`;
  };
  t.equal(await ask({}), '409 output_taken');
  t.equal(await ask({ output: output.replace('first', 'FIRST') }), '409 output_taken');
  t.equal(await ask({ name: 'first', output: 'gold.acme.other' }), '409 transform_name_taken');
  const [namespace, table] = ['silver.acme', 'landed'];
  await kernel.db(acme).transaction((tx) =>
    tx.sql(
      `insert into datasets.producer (tenant_id, namespace, table_name, kind, producer_id)
       values ($1, $2, $3, 'source', $1)`,
      [acme.tenantId, namespace, table],
    ),
  );
  t.equal(await ask({ output: `${namespace}.${table}` }), '409 output_taken');
  for (const refused of ['bronze.acme.x', 'gold.other.x', 'raw.shared.x'])
    t.equal(await ask({ output: refused }), '422 output_refused', refused);
  for (const invalid of ['gold.acme', 'gold.acme.a.b', 'gold.acme.a b', "gold.acme.a'--", 'gold.acme.é', 'gold..x'])
    t.equal(await ask({ output: invalid }), '400 invalid_dataset_id', invalid);
  t.equal(await ask({ sql: 'select \u0000', output: 'gold.acme.nul' }), '400 malformed_json');
  t.equal(await ask({ output: 'gold.acme.second' }), 'made');
});

t.test('a table whose transform was deleted or writes another one → taken over by the next transform', async (t) => {
  const { call, create, run, end } = await setUp(t);
  const { transform_id, output } = await create('first');
  const next = async (name: string) => {
    const answer = await call(endpoints.createTransform, { body: { name, sql: SQL, output } });
    return answer.ok ? 'made' : answer.problem.code;
  };
  const params = { transform_id };
  await call(endpoints.changeTransform, { params, body: { output: 'gold.acme.moved' } });
  const open = await run(transform_id);
  t.equal(await next('second'), 'output_taken', 'a run of the former one may still write it');
  await end(open);
  t.equal(await next('second'), 'made');
  t.match(await call(endpoints.changeTransform, { params, body: { output } }), refused(409, 'output_taken'));
  t.match(await call(endpoints.deleteTransform, { params }), { ok: true });
  t.match(await create('third', { output: 'gold.acme.moved' }), { output: 'gold.acme.moved' });
});

t.test('a transform of another tenant → not found, however it is asked for', async (t) => {
  const { as, create, tenant } = await setUp(t);
  await tenant('other');
  const { transform_id } = await create('ours');
  const foreign = as('other');
  const params = { transform_id };
  t.match(await foreign.call(endpoints.getTransform, { params }), refused(404, 'not_found'));
  t.match(await foreign.call(endpoints.changeTransform, { params, body: { name: 'x' } }), refused(404, 'not_found'));
  t.match(await foreign.call(endpoints.deleteTransform, { params }), refused(404, 'not_found'));
  t.match(await foreign.call(endpoints.listTransforms), { body: { items: [] } });
});
