import t from 'tap';
import { previewDataset } from '../src/contract.ts';
import { batch, type Lake, lake, rawAnswer } from './kit.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    'a,b': { type: 'string' },
    'x:eq:y': { type: 'boolean' },
    '-neg': { type: 'number' },
  },
};
const BIG = '9007199254740993';
const params = { dataset_id: 'bronze.acme.orders' };

/** Three files; ids 1..6 and the large one, every second name absent. */
async function orders(world: Lake) {
  const acme = await world.tenant('acme');
  const row = (id: number | string, more: object = {}) => ({ id, name: `n${id}`, ...more });
  const raw = (text: string) => JSON.parse(text, (_k, v) => v);
  await world.land(acme, 'orders', [row(1, { 'a,b': 'x', 'x:eq:y': true, '-neg': 0.5 }), { id: 2 }], SCHEMA);
  await world.land(acme, 'orders', [row(3), { id: 4 }, row(5)], SCHEMA);
  const last = await world.land(acme, 'orders', [raw('{"id":6}'), { id: BIG, name: "it's" }], SCHEMA);
  return { acme, ...last };
}

/** The first column of what a query finds, or the code and the pointers of its refusal. */
async function found(world: Lake, query: object): Promise<unknown> {
  const answer = await world.as('acme', 'viewer').call(previewDataset, { params, query });
  if (answer.ok) return answer.body.rows.map((row) => row[0]);
  const errors = answer.problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
  return [`${answer.status} ${answer.problem.code}`, ...(errors ?? [])];
}

t.test('columns are chosen by name, filters compare by the type of the column, and an order sorts', async (t) => {
  const world = await lake(t);
  await orders(world);
  const cases: [object, unknown][] = [
    [{ columns: 'id', order: 'id' }, ['1', '2', '3', '4', '5', '6', BIG]],
    [{ columns: 'name,id', order: '-id', limit: 2 }, ["it's", null]],
    [{ columns: ['id', 'name'], order: 'name' }, [BIG, '1', '3', '5', '4', '2', '6']],
    [{ columns: 'a,b', filter: 'a,b:not_null' }, ['x']],
    [{ columns: 'id', filter: 'x:eq:y:eq:true' }, ['1']],
    [{ columns: 'id', filter: '-neg:lt:1' }, ['1']],
    [{ columns: 'id', order: '-neg', limit: 1 }, ['1']],
    [{ columns: 'id', filter: ['id:ge:3', 'id:lt:6', 'name:is_null'] }, ['4']],
    [{ columns: 'id', filter: `id:eq:${BIG}` }, [BIG]],
    [{ columns: 'id', filter: "name:eq:it's" }, [BIG]],
    [{ columns: 'id', filter: 'name:starts_with:it' }, [BIG]],
    [{ columns: 'id', filter: "name:contains:'" }, [BIG]],
    [{ columns: 'id', filter: 'name:eq:a:b' }, []],
    [{ columns: 'id', filter: '_errors:not_null', order: 'id', limit: 1 }, ['1']],
  ];
  for (const [query, wanted] of cases) t.strictSame(await found(world, query), wanted, JSON.stringify(query));
});

t.test('what no column, type or comparison fits is 400 with its place, and nothing of it comes back', async (t) => {
  const world = await lake(t);
  await orders(world);
  const cases: [object, string[]][] = [
    [{ columns: 'id,secret1,id' }, ['/query/columns/1 unknown_column', '/query/columns/2 repeated_column']],
    [{ columns: '' }, ['/query/columns/0 unknown_column']],
    [{ filter: ['id:eq:1', 'secret1:eq:1'] }, ['/query/filter/1 unknown_column']],
    [{ filter: 'id' }, ['/query/filter/0 unknown_column']],
    [{ filter: 'id:like:secret1' }, ['/query/filter/0 unknown_operator']],
    [{ filter: 'id:eq:secret1' }, ['/query/filter/0 value_not_of_type']],
    [{ filter: 'id:eq:9223372036854775808' }, ['/query/filter/0 value_not_of_type']],
    [{ filter: 'id:contains:1' }, ['/query/filter/0 operator_not_of_type']],
    [{ filter: 'id:is_null:1' }, ['/query/filter/0 value_not_of_type']],
    [{ filter: '_errors:eq:secret1' }, ['/query/filter/0 operator_not_of_type']],
    [{ order: 'secret1' }, ['/query/order unknown_column']],
    [{ order: '--id' }, ['/query/order unknown_column']],
    [{ order: '_errors' }, ['/query/order type_not_ordered']],
    [
      { columns: 'secret1', filter: 'id', order: '-secret1' },
      ['/query/columns/0 unknown_column', '/query/filter/0 unknown_column', '/query/order unknown_column'],
    ],
  ];
  for (const [query, faults] of cases) {
    t.strictSame(await found(world, query), ['400 validation_failed', ...faults], JSON.stringify(query));
  }
  const { body } = await rawAnswer(world, 'acme', '/datasets/bronze.acme.orders/preview?filter=id:eq:secret1');
  t.notMatch(body, /secret1/);
  t.match(await found(world, { filter: 'id:eq:1; drop table x --' }), ['400 validation_failed']);
  t.match(await found(world, { filter: Array.from({ length: 101 }, () => 'id:is_null') }), ['400 validation_failed']);
});

t.test('pages go on in the snapshot and under the schema that the first one read', async (t) => {
  const world = await lake(t);
  const { acme, ref } = await orders(world);
  const { call } = world.as('acme', 'viewer');
  const read = async (query: object) => {
    const answer = await call(previewDataset, { params, query });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  const queries = [{}, { order: 'name' }, { order: '-id' }, { filter: 'id:gt:1' }].map((more) => ({
    limit: 3,
    ...more,
  }));
  const firsts = await Promise.all(queries.map(read));
  const wholes = await Promise.all(queries.map((query) => read({ ...query, limit: 100 })));
  await world.land(acme, 'orders', [{ id: 100, name: 'later' }, { id: 101 }, { id: 102 }, { id: 103 }], SCHEMA);
  await world.tables.prepare(acme, ref, { type: 'object', properties: { more: { type: 'string' } } });
  for (const [at, query] of queries.entries()) {
    const pages = [firsts[at]!];
    for (let token = firsts[at]!.next_page_token; token !== null; token = pages.at(-1)!.next_page_token) {
      pages.push(await read({ ...query, page_token: token }));
    }
    const whole = wholes[at]!;
    t.strictSame(
      pages.flatMap(({ rows }) => rows),
      whole.rows,
      JSON.stringify(query),
    );
    t.ok(pages.every(({ snapshot_id: id }) => id === whole.snapshot_id));
    t.ok(pages.every(({ columns }) => columns.length === whole.columns.length));
    t.ok(pages.every(({ has_more: more }, page) => more === page < pages.length - 1));
  }
});

t.test('a token is good for its own list, table and question only', async (t) => {
  const world = await lake(t);
  const { acme, snapshotId } = await orders(world);
  await world.land(acme, 'visits', [{ id: 1 }, { id: 2 }], SCHEMA);
  const { call } = world.as('acme', 'viewer');
  const asked = { columns: 'id', filter: 'id:gt:0', order: 'id', limit: 1 };
  const page = await call(previewDataset, { params, query: asked });
  const token = page.ok ? page.body.next_page_token! : '';
  const at = async (query: object, dataset_id = params.dataset_id) => {
    const answer = await call(previewDataset, {
      params: { dataset_id },
      query: { page_token: token, ...query } as never,
    });
    return answer.ok ? answer.body.rows : answer.problem.code;
  };
  t.strictSame(await at(asked), [['2']]);
  t.strictSame(await at({ ...asked, limit: 2 }), [['2'], ['3']], 'a page may have another size');
  t.strictSame(await at({ ...asked, snapshot_id: snapshotId }), [['2']], 'the same snapshot, named');
  const others = [
    { ...asked, columns: 'id,name' },
    { ...asked, filter: 'id:gt:1' },
    { ...asked, filter: ['id:gt:0', 'id:gt:0'] },
    { ...asked, order: '-id' },
    { limit: 1 },
    { ...asked, snapshot_id: '5' },
  ];
  for (const query of others) t.equal(await at(query), 'invalid_page_token', JSON.stringify(query));
  t.equal(await at(asked, 'bronze.acme.visits'), 'invalid_page_token', 'another table');
  const decoded = Buffer.from(token, 'base64url').toString();
  const forge = (change: (text: string) => string) => Buffer.from(change(decoded)).toString('base64url');
  const forged = [
    (text: string) => text.replace(/"(\d+)\.(\d+)"\]$/, '"9.$2"]'),
    (text: string) => text.replace(/"(\d+)\.(\d+)"\]$/, '"0.999999999999999999"]'),
    (text: string) => text.replace(/"(\d+)\.(\d+)"\]$/, '"-1.0"]'),
    (text: string) => text.replace(/\.(\d+)",/, '.77",'),
  ];
  for (const change of forged)
    t.equal(await at({ ...asked, page_token: forge(change) }), 'invalid_page_token', `${change}`);
  for (const wrong of ['x', 'AAAA', 'é']) t.equal(await at({ ...asked, page_token: wrong }), 'invalid_page_token');
  const list = await rawAnswer(world, 'acme', '/datasets?limit=1');
  t.equal(await at({ ...asked, page_token: list.json().next_page_token }), 'invalid_page_token', 'a token of a list');
  t.equal((await rawAnswer(world, 'acme', `/datasets?page_token=${token}`)).json().code, 'invalid_page_token');
});

t.test('an order over more rows than may be sorted is 422 with what to do', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }, { id: 2 }]);
  const { runId, leaseEpoch } = await world.run(acme);
  const [file] = (await world.stage(acme, ref, [{ id: 3 }], runId)) as [{ record_count: string }];
  const files = [{ ...file, record_count: '30000000' }];
  await world.tables.commit(acme, { runId, leaseEpoch, tables: [batch(ref, files)], checkpoints: [] });
  const answer = await world.as('acme').call(previewDataset, { params, query: { order: 'id' } });
  t.match(answer, { ok: false, status: 422, problem: { code: 'query_too_large', hint: /order/ } });
  t.strictSame(
    await found(world, { columns: 'id', filter: 'id:lt:3', order: 'id' }),
    ['1', '2'],
    'its statistics narrow it',
  );
});
