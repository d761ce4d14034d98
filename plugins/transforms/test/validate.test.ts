import t from 'tap';
import * as endpoints from '../src/contract.ts';
import { setUp } from './kit.ts';
import { ORDERS, selectWorld } from './select-kit.ts';

t.test('a definition that is validated and not saved', async (t) => {
  const { pin } = await selectWorld(t);
  const { call } = await setUp(t, pin);
  const validate = async (body: object) => {
    const answer = await call(endpoints.validateTransform, { body: body as never });
    if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
    return answer.body;
  };

  await t.test('whole → columns, lineage, inputs and what it reads at most', async (t) => {
    const checks = [{ name: 'ids', kind: 'unique', columns: ['id'] }];
    const sql = `select id, sum(total) as "sum" from ${ORDERS} group by id`;
    const found = await validate({ name: 'sums', output: 'gold.acme.sums', sql, checks });
    t.match(found, {
      ...{ valid: true, faults: [], estimate: { rows: '3', bytes: '1' } },
      inputs: [{ dataset_id: ORDERS, rows: '3' }],
      columns: [{ name: 'id', type: 'long' }, { name: 'sum' }],
      lineage: [{ column: 'id', complete: true }, { sources: [{ dataset_id: ORDERS, column: 'total' }] }],
    });
    t.match(await call(endpoints.listTransforms, {}), { body: { items: [] } });
  });

  await t.test('with what its author does not mean → valid, and each place with its rule', async (t) => {
    const sql = `select id, total / 0 as rate,\n  random() as draw from ${ORDERS} order by 1`;
    const { valid, findings } = await validate({ sql });
    const at = findings.map(({ rule, severity, line }) => `${rule} ${severity} ${line}`);
    t.strictSame(
      [valid, at],
      [true, ['unguarded-division warning 1', 'volatile warning 2', 'order-without-limit note 2', 'ordinal note 2']],
    );
    t.strictSame((await validate({ sql: `select id from ${ORDERS}` })).findings, []);
  });

  await t.test('with a partition that is computed with before it is compared → the rule says so', async (t) => {
    const divided = await setUp(t, { ...pin, plan: { ...pin.plan, partitions: ['note'] } });
    const sql = `select id from ${ORDERS} where upper(note) = 'A'`;
    const found = await divided.call(endpoints.validateTransform, { body: { sql } });
    t.match(found, { body: { findings: [{ rule: 'cast-on-partition', name: 'note' }] } });
    t.strictSame((await validate({ sql })).findings, []);
  });

  await t.test('at fault → each fault with its place and the nearest name, and no word of the statement', async (t) => {
    for (const [body, faults] of [
      [
        { sql: `select id,\n  o.totl from ${ORDERS} o` },
        [{ code: 'column_unknown', pointer: '/sql', line: 2, column: 3, nearest: 'total' }],
      ],
      [
        { sql: `select * from ${ORDERS} qualify row_number() over (order by totl) = 1` },
        [{ code: 'column_unknown', pointer: '/sql', line: 1, nearest: 'total' }],
      ],
      [
        { sql: `select 1 as one from bronze.acme.ordesr` },
        [{ code: 'input_missing', dataset_id: 'bronze.acme.ordesr', nearest: ORDERS, line: 1, column: 22 }],
      ],
      [{ sql: 'select 1 from silver.other.theirs' }, [{ code: 'dataset_not_readable', nearest: undefined }]],
      [{ sql: "select getenv('HOME') as home" }, [{ code: 'function_refused', line: 1, column: 8 }]],
      [{ sql: 'selekt 1' }, [{ code: 'syntax', pointer: '/sql', line: 1, column: 1 }]],
      [
        { sql: 'select 1 as one', output: 'bronze.acme.x', materialization: 'merge' },
        [
          { code: 'output_refused', pointer: '/output' },
          { code: 'required', pointer: '/key' },
        ],
      ],
      [
        { sql: `select id, count(*) as n from ${ORDERS} group by id`, materialization: 'append', incremental: ORDERS },
        [{ code: 'increment_not_by_row', pointer: '/incremental' }],
      ],
      [
        { sql: 'select 1 as one', checks: [{ name: 'a', kind: 'not_null', columns: ['won'] }] },
        [{ code: 'column_unknown', pointer: '/checks', check: 'a', nearest: 'one', line: undefined }],
      ],
      [
        { sql: `select 1 as one from ${ORDERS}`, output: ORDERS },
        [{ pointer: '/output' }, { code: 'output_is_input' }],
      ],
    ] as const) {
      const found = await validate(body);
      t.match(found, { valid: false, faults, columns: found.columns });
      t.equal(found.faults.length, faults.length, JSON.stringify(found.faults));
      t.notMatch(JSON.stringify(found), /totl|HOME|getenv|selekt|won/);
    }
  });

  await t.test('with columns that cannot be traced → said where, and why', async (t) => {
    const found = await validate({ sql: `select unnest({a: id, b: total}, recursive := true) from ${ORDERS}` });
    t.match(found, { valid: true, lineage: [{ complete: false, unresolved: [{ reason: String }] }, {}] });
  });
});
