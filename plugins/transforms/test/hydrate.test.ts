import { createHash } from 'node:crypto';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { refused, setUp } from './kit.ts';
import { ORDERS, selectWorld } from './select-kit.ts';

const SQL = `select id, sum(total) as "sum" from ${ORDERS} where note <> '' group by id`;

t.test('a definition that is hydrated → inputs, columns, lineage, and an artifact by its content', async (t) => {
  const { pin } = await selectWorld(t);
  const { as, app, call, create, hints } = await setUp(t, pin);
  const made = await create('sums', { sql: SQL });
  const params = { transform_id: made.transform_id };
  const hydrate = async () => {
    const answer = await call(endpoints.hydrateTransform, { params });
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };
  const { artifact, artifact_id, etag } = await hydrate();
  const source = (column: string) => ({ dataset_id: ORDERS, column });
  t.match(artifact, {
    ...{ runtime: 'duckdb-sql/1', sql: SQL, output: made.output, materialization: 'full', inputs: [ORDERS] },
    columns: [
      { name: 'id', type: 'long' },
      { name: 'sum', type: 'decimal(38, 2)' },
    ],
    lineage: [
      { column: 'id', sources: [source('id')], complete: true },
      { column: 'sum', sources: [source('total')], influences: [source('id'), source('note')], complete: true },
    ],
    reads: ['id', 'total', 'note'].map((column) => ({ ...source(column), type: 'string' })),
  });
  t.equal(etag, '2');
  t.match(hints.at(-1), { topic: 'transform', id: made.transform_id, version: '2' });
  const headers = { ...(await as('acme').headers()), accept: 'application/json' };
  const file = await app.inject({ url: `/api/v1/artifacts/${artifact_id}/download`, headers });
  t.equal(createHash('sha256').update(file.body).digest('hex'), artifact_id);
  t.match(await call(endpoints.getTransformDetail, { params }), { body: { can_run_now: true, artifact } });
  t.equal((await hydrate()).artifact_id, artifact_id, 'the same content is the same artifact');
  const append = { materialization: 'append' as const };
  t.match(await call(endpoints.changeTransform, { params, body: append }), { body: { artifact_id } });
  t.not((await hydrate()).artifact_id, artifact_id);
  t.match(await call(endpoints.changeTransform, { params, body: { description: 'x' } }), {
    body: { artifact_id: /^[0-9a-f]{64}$/ },
  });
});

t.test(
  'key, partitions and increments → columns and inputs of the result, in an artifact for an engine that knows them',
  async (t) => {
    const { pin } = await selectWorld(t);
    const { call, create } = await setUp(t, pin);
    const { transform_id } = await create('merged', { sql: SQL });
    const params = { transform_id };
    const hydrate = async (body: object) => {
      const changed = await call(endpoints.changeTransform, { params, body });
      t.ok(changed.ok, JSON.stringify(body));
      return call(endpoints.hydrateTransform, { params });
    };
    const merge = { materialization: 'merge', key: ['ID'], incremental: ORDERS };
    t.match(await hydrate(merge), {
      body: { artifact: { runtime: 'duckdb-sql/2', key: ['ID'], incremental: ORDERS, materialization: 'merge' } },
    });
    t.match(await hydrate({ key: ['gone'] }), {
      problem: {
        status: 422,
        code: 'materialization_refused',
        errors: [{ pointer: '/key/0', code: 'column_unknown' }],
      },
    });
  },
);

t.test('a statement at fault → refused with code, line and column, and no word of it', async (t) => {
  const { pin } = await selectWorld(t);
  const { call, create } = await setUp(t, pin);
  const { transform_id } = await create('faulty');
  const params = { transform_id };
  const hydrate = async (sql: string) => {
    const changed = await call(endpoints.changeTransform, { params, body: { sql } });
    t.ok(changed.ok, sql);
    return call(endpoints.hydrateTransform, { params });
  };
  for (const [sql, fault] of [
    ['drop table x', { code: 'not_select' }],
    [`describe ${ORDERS}`, { code: 'describe_refused' }],
    [`pivot ${ORDERS} on id using count(*)`, { code: 'not_select' }],
    [`select id,\n  getenv('HOME') from ${ORDERS}`, { code: 'function_refused', line: 2, column: 3 }],
    [`select nothere from ${ORDERS}`, { code: 'column_unknown', line: 1, column: 8 }],
  ] as const) {
    const answer = await hydrate(sql);
    t.match(answer, { ...refused(422, 'sql_refused'), problem: { errors: [{ pointer: '/sql' }], faults: [fault] } });
    t.notMatch(JSON.stringify(answer), /HOME|nothere/);
  }
  const missing = { ok: false, problem: { status: 409, code: 'input_missing', dataset_ids: ['silver.acme.gone'] } };
  t.match(await hydrate(`select 1 from ${ORDERS}, silver.acme.gone`), missing);
  const foreign = { status: 403, code: 'dataset_not_readable', dataset_ids: ['silver.other.theirs'] };
  t.match(await hydrate('select 1 from silver.acme.gone, silver.other.theirs'), { ok: false, problem: foreign });
  t.match(await hydrate('select 1 from gold.acme.FAULTY'), refused(422, 'output_is_input'));
  t.match(await call(endpoints.getTransform, { params }), { body: { artifact_id: null } });
});
