import type { Snapshot, TableMetadata } from '@weir/lakehouse';
import fc from 'fast-check';
import t from 'tap';
import { listDatasetSnapshots, listLegacySnapshots, listLegacyTables } from '../src/contract.ts';
import { lake, rawAnswer, rewrite } from './kit.ts';

const LARGEST = 2n ** 63n - 1n;
const IDS = fc
  .uniqueArray(fc.oneof(fc.bigInt({ min: 2n ** 53n + 1n, max: LARGEST }), fc.bigInt({ min: 1n, max: LARGEST })), {
    minLength: 990,
    maxLength: 990,
  })
  .map((ids) => [...new Set([...ids, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, LARGEST - 1n, LARGEST, 1n])]);

/** The table as it would be after commits that made snapshots of these ids, the last one the newest. */
const withSnapshots =
  (ids: readonly bigint[]) =>
  (metadata: TableMetadata): TableMetadata => {
    const [first] = metadata.snapshots as [Snapshot];
    const snapshots = ids.map((id, at) => {
      const parent = ids[at - 1];
      const { 'parent-snapshot-id': _none, ...facts } = first;
      const own = { ...facts, 'snapshot-id': id, 'sequence-number': BigInt(at + 1) };
      return parent === undefined ? own : { ...own, 'parent-snapshot-id': parent };
    });
    const newest = ids.at(-1)!;
    return {
      ...metadata,
      snapshots,
      'current-snapshot-id': newest,
      refs: { main: { 'snapshot-id': newest, type: 'branch' } },
    };
  };

t.test('a thousand snapshot ids of 64 bits are the same digits as a number and as text, on every list', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }]);
  const [ids] = fc.sample(IDS, 1) as [bigint[]];
  await rewrite(world, acme, { ref, change: withSnapshots(ids) });
  const wanted = ids.map(String);
  for (const path of ['/datasets/bronze.acme.orders/snapshots', '/table-format/snapshots/bronze.acme.orders']) {
    const numbers: string[] = [];
    const parents: string[] = [];
    let token = '';
    do {
      const { body } = await rawAnswer(world, 'acme', `${path}?order=sequence_number&limit=400${token}`);
      for (const [, number, exact] of body.matchAll(/"snapshot_id":(\d+),"snapshot_id_exact":"(\d+)"/g)) {
        if (number !== exact) t.equal(number, exact);
        numbers.push(number ?? '');
      }
      for (const [, exact] of body.matchAll(/"parent_snapshot_id_exact":"(\d+)"/g)) {
        if (!body.includes(`"parent_snapshot_id":${exact}`)) t.fail(`${path}: parent ${exact}`);
        parents.push(exact ?? '');
      }
      const next = (JSON.parse(body) as { next_page_token: string | null }).next_page_token;
      token = next === null ? '' : `&page_token=${next}`;
    } while (token !== '');
    t.ok(wanted.length >= 990);
    t.strictSame(numbers, wanted, path);
    t.strictSame(parents, wanted.slice(0, -1), path);
  }
  const { call } = world.as('acme');
  const params = { dataset_id: 'bronze.acme.orders' };
  const answer = await call(listDatasetSnapshots, { params, query: { limit: 500 } });
  const items = answer.ok ? answer.body.items : [];
  t.equal(items.length, 500);
  t.ok(
    items.every((item) => String(item.snapshot_id) === item.snapshot_id_exact),
    'the client keeps the digits',
  );
});

t.test('the newest snapshot of a table is the same digits as a number and as text', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  const { ref } = await world.land(acme, 'orders', [{ id: 1 }]);
  await world.tables.prepare(acme, world.tables.bronze(acme, 'empty'), { type: 'object', properties: {} });
  const some = fc.sample(fc.bigInt({ min: 2n ** 53n + 1n, max: LARGEST }), 20);
  for (const id of [2n ** 53n + 1n, LARGEST, 5n, ...some]) {
    await rewrite(world, acme, { ref, change: withSnapshots([id]) });
    const { body, headers } = await rawAnswer(world, 'acme', '/table-format/tables');
    t.match(body, `"latest_snapshot_id":${id},"latest_snapshot_id_exact":"${id}"`);
    t.match(headers, { deprecation: /^@1[0-9]{9}$/, link: '</api/v1/datasets>; rel="successor-version"' });
  }
  const { body } = await rawAnswer(world, 'acme', '/table-format/tables');
  t.match(body, '"latest_snapshot_id":null,"latest_snapshot_id_exact":null', 'a table without snapshots');
});

t.test('every numeric id of a snapshot is marked as deprecated, and its exact twin is not', async (t) => {
  for (const { response } of [listLegacyTables, listLegacySnapshots, listDatasetSnapshots]) {
    const { properties } = (response as unknown as { properties: { items: { items: { properties: object } } } })
      .properties.items.items;
    const twins = Object.entries(properties).filter(([name]) => `${name}_exact` in properties);
    t.ok(twins.length > 0);
    for (const [name, schema] of twins) t.match(schema, { type: 'integer', deprecated: true }, name);
    for (const [name, schema] of Object.entries(properties)) if (/_exact$/.test(name)) t.notOk(schema.deprecated, name);
  }
});

t.test('the deprecated routes follow the rules of the new ones, with tokens of their own', async (t) => {
  const world = await lake(t);
  const acme = await world.tenant('acme');
  for (const table of ['b', 'a', 'c']) await world.land(acme, table, [{ id: 1 }]);
  await world.land(acme, 'a', [{ id: 2 }]);
  await world.land(await world.tenant('other'), 'secret', [{ id: 1 }]);
  const { call } = world.as('acme', 'viewer');
  const code = async (table: string) => {
    const answer = await call(listLegacySnapshots, { params: { table } });
    return answer.ok ? 'ok' : `${answer.status} ${answer.problem.code}`;
  };
  t.equal(await code('bronze.acme.a'), 'ok');
  t.equal(await code("bronze.acme.a'"), '400 invalid_dataset_id');
  t.equal(await code('bronze.acme'), '400 invalid_dataset_id');
  t.equal(await code('bronze.other.secret'), '403 dataset_not_readable');
  t.equal(await code('bronze.other.nothing'), '403 dataset_not_readable');
  t.equal(await code('bronze.acme.nothing'), '404 not_found');
  const page = await call(listLegacyTables, { query: { limit: 2 } });
  t.match(page, { ok: true, body: { items: [{ table: 'bronze.acme.a', name: 'a' }, { name: 'b' }], total: 3 } });
  const token = page.ok ? page.body.next_page_token! : '';
  t.match(await call(listLegacyTables, { query: { page_token: token } }), {
    ok: true,
    body: { items: [{ name: 'c' }] },
  });
  t.match(await call(listLegacyTables, { query: { page_token: token, order: '-table' } }), { ok: false, status: 400 });
  const foreign = await rawAnswer(world, 'acme', `/datasets?page_token=${token}`);
  t.match([foreign.statusCode, foreign.json().code], [400, 'invalid_page_token'], 'a token of another list');
  const params = { table: 'bronze.acme.a' };
  const snapshots = await call(listLegacySnapshots, { params, query: { limit: 1 } });
  const next = snapshots.ok ? snapshots.body.next_page_token! : '';
  t.match(await call(listLegacySnapshots, { params, query: { limit: 1, page_token: next } }), {
    ok: true,
    body: { items: [{ parent_snapshot_id: null, parent_snapshot_id_exact: null }], total: 2 },
  });
  for (const path of ['datasets/bronze.acme.a/snapshots', 'datasets/bronze.acme.b/snapshots']) {
    const refused = await rawAnswer(world, 'acme', `/${path}?page_token=${next}`);
    t.equal(refused.json().code, 'invalid_page_token', path);
  }
});
