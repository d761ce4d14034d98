import { auditTables } from '@weir/migrations';
import t from 'tap';
import * as endpoints from '../src/contract.ts';
import type { OntologyStore } from '../src/model/entity/store.ts';
import { chunk, item, property, setUp, vehicle } from './kit.ts';
import { STORE_CASES, storeConformance } from './store-conformance.ts';

t.test('the embedded store', async (t) => {
  let made: OntologyStore | undefined;
  const app = await setUp(t, {
    store: (own) => {
      made = own;
      return own;
    },
  });
  const { call, as, database, tenants } = app;
  const store = made as unknown as OntologyStore;
  const callOf = (alias: 'acme' | 'other') => ({ tenant: tenants[alias], ontologyTenant: 'development' });

  await t.test('every law of the port', async (t) => {
    t.ok(STORE_CASES.length >= 40, `${STORE_CASES.length} cases`);
    storeConformance(t, { store, own: callOf('acme'), foreign: callOf('other') });
  });

  await t.test('entities are read by routes: found, filtered, linked; of another tenant as absent ones', async (t) => {
    const owner = { code: 'owner', target_type: 'Vehicle', target_key: ['vin'], cardinality: 'one' };
    const body = vehicle([property('country', 'string', { indexed: true }), property('name')], {
      ...{ title_property: 'name', relationships: [owner] },
    });
    for (const alias of ['acme', 'other']) await as(alias).call(endpoints.createEntityType, { body: body as never });
    const link = { relationship: 'owner', targetType: 'Vehicle', targetKey: 'a/b' };
    const items = [item('a/b', { country: 'D&E', name: 'Käfer' }), item('c', { country: 'FR' }, [link])];
    await store.submitBulk(callOf('acme'), chunk(items));
    const params = { code: 'Vehicle' };
    const list = (query: object) => call(endpoints.listEntities, { params, query });
    t.match(await list({}), {
      body: {
        items: [
          { key: 'a/b', title: 'Käfer' },
          { key: 'c', title: 'c' },
        ],
      },
    });
    t.match(await list({ order: '-key', limit: 1 }), { body: { items: [{ key: 'c' }], next_page_token: String } });
    const filtered = await list({ filter: `country=${encodeURIComponent('D&E')}` });
    t.match(filtered, { body: { items: [{ key: 'a/b' }], next_page_token: null } });
    t.match(await list({ filter: 'name=c' }), { status: 422, problem: { code: 'property_not_indexed' } });
    t.match(await list({ filter: 'country=a&country=b' }), { status: 400 });
    const first = await list({ limit: 1 });
    const page_token = first.ok ? first.body.next_page_token : '';
    t.match(await list({ limit: 1, page_token }), { body: { items: [{ key: 'c' }], next_page_token: null } });
    t.match(await list({ page_token, filter: 'country=FR' }), { problem: { code: 'invalid_page_token' } });
    t.match(await call(endpoints.getEntity, { params: { ...params, key: 'a/b' } }), {
      body: {
        properties: { country: 'D&E' },
        links: [{ relationship: 'owner', direction: 'in', type_code: 'Vehicle', count: 1 }],
      },
    });
    const links = (key: string, direction: 'in' | 'out') =>
      call(endpoints.listEntityLinks, { params: { ...params, key, relationship: 'owner' }, query: { direction } });
    t.match(await links('c', 'out'), { body: { items: [{ key: 'a/b', title: 'Käfer', exists: true }] } });
    t.match(await links('a/b', 'in'), { body: { items: [{ key: 'c', title: 'c' }] } });
    const shown = async (key: string) => {
      const found = await as('other').call(endpoints.getEntity, { params: { ...params, key } });
      return found.ok ? found : { ...found.problem, trace_id: '' };
    };
    t.strictSame(await shown('c'), await shown('absent'));
    t.match(await as('other').call(endpoints.listEntities, { params }), { body: { items: [] } });
    t.match(
      await as('other').call(endpoints.listEntityLinks, { params: { ...params, key: 'c', relationship: 'owner' } }),
      {
        status: 404,
      },
    );
  });

  await t.test('keys of dots, which no address holds, are read by what stands for them', async (t) => {
    const to = (targetKey: string) => ({ relationship: 'owner', targetType: 'Vehicle', targetKey });
    const keys = ['.', '..', '~.', '~~..', '~', '...'];
    const items = keys.map((key) => item(key, { country: key }, [to(key)]));
    await store.submitBulk(callOf('acme'), chunk(items, { seq: 7 }));
    for (const key of keys) {
      const params = { code: 'Vehicle', key: endpoints.keyInPath(key) };
      t.match(await call(endpoints.getEntity, { params }), { body: { key, properties: { country: key } } }, key);
      const links = await call(endpoints.listEntityLinks, { params: { ...params, relationship: 'owner' } });
      t.match(links, { body: { items: [{ key }] } }, key);
    }
    t.match(await call(endpoints.getEntity, { params: { code: 'Vehicle', key: 'a/b' } }), { body: { key: 'a/b' } });
  });

  await t.test('the wall has no hole in a table or a partition, which no role reaches by itself', async (t) => {
    const client = { query: async (text: string) => ({ rows: await database.peek(text) }) };
    t.strictSame(await auditTables(client as never), []);
    const partitions = await database.peek(
      `select c.oid::regclass::text as name, has_table_privilege('weir_app', c.oid, 'select') as readable
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'ontology.entity'::regclass`,
    );
    t.equal(partitions.length, 16);
    t.ok(partitions.every(({ readable }) => readable === false));
    await database.peek(`grant select on all tables in schema ontology to weir_app`);
    for (const { name } of partitions) {
      const { rows } = await app.kernel.db(tenants.other).transaction((tx) => {
        const foreign = `select count(*)::int as seen from ${name} where tenant_id <> $1`;
        return tx.sql(foreign, [tenants.other.tenantId]);
      });
      t.strictSame(rows, [{ seen: 0 }], String(name));
    }
    for (const hole of [
      'alter table ontology.entity_p07 disable row level security',
      'drop policy tenant on ontology.entity_p07',
    ]) {
      await database.peek(hole);
      t.match((await auditTables(client as never)).join('; '), /ontology\.entity_p07/);
    }
  });
});
