import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import core from '../libraries/core.json' with { type: 'json' };
import * as endpoints from '../src/contract.ts';
import { lintSchema } from '../src/model/schema/lint.ts';
import { setUp } from './kit.ts';

const FULL_ID = 'core:Commerce:Order';
const model = (name: string, more: object = {}) => ({
  domain: 'Weather',
  name,
  json_schema: { title: name, type: 'object', properties: {}, ...more },
});
const library = (schemas: object[]) => ({
  ...{
    library_id: 'sdm',
    name: 'Smart data models',
    version: '9.9',
    license: 'CC-BY-4.0',
    source: 'x',
    attribution: 'a',
  },
  schemas,
});

t.test('every schema of ours can be used', async (t) => {
  for (const { name, json_schema } of core.schemas) t.strictSame(lintSchema(json_schema), [], name);
});

t.test('libraries', async (t) => {
  const folder = t.testdir({ libraries: {} });
  const settings = { WEIR_PLATFORM: join(folder, 'platform.json'), WEIR_SCHEMA_LIBRARIES: 'libraries' };
  const { call, app, as } = await setUp(t, {}, settings);
  await app.ready();

  await t.test('a start loads the library of ours; its domains, schemas and search are there', async (t) => {
    t.match(await call(endpoints.listLibraries), {
      body: { items: [{ library_id: 'core', schemas: 24, license: 'Apache-2.0' }], total: 1 },
    });
    const params = { library_id: 'core' };
    t.match(await call(endpoints.listDomains, { params }), { body: { items: [{ domain: 'Commerce', schemas: 7 }] } });
    const first = await call(endpoints.listDomainSchemas, {
      params: { ...params, domain: 'Commerce' },
      query: { limit: 4 },
    });
    t.match(first, { body: { items: [{ full_id: 'core:Commerce:Invoice', properties: 11 }, {}, {}, {}], total: 7 } });
    const page_token = first.ok ? (first.body.next_page_token ?? '') : '';
    const rest = await call(endpoints.listDomainSchemas, {
      params: { ...params, domain: 'Commerce' },
      query: { page_token },
    });
    t.equal(rest.ok && rest.body.items.length, 3);
    const found = await call(endpoints.searchLibraries, { query: { q: 'custmer invoise' } });
    t.match(found, {
      body: { items: [{ full_id: /Invoice|Customer/, highlights: [{ field: String, text: String }] }] },
    });
    const typed = await call(endpoints.searchLibraries, { query: { q: 'vehicle', type: 'trip' } });
    t.match(typed, { body: { items: [{ full_id: 'core:Mobility:Trip' }] } });
    t.equal(typed.ok && typed.body.items.length, 1);
  });

  await t.test('a schema by each of its names; another version and an unknown one → not_found', async (t) => {
    const one = await call(endpoints.getSchemaByFullId, { params: { full_id: `${FULL_ID}@1.0.0` } });
    t.match(one, { body: { full_id: FULL_ID, dialect: '2020-12', ngsi: null, json_schema: { title: 'Order' } } });
    for (const schema_id of ['Order', 'Commerce:Order'])
      t.match(await call(endpoints.getLibrarySchema, { params: { library_id: 'core', schema_id } }), {
        body: { full_id: FULL_ID, digest: one.ok ? one.body.digest : '' },
      });
    for (const full_id of [`${FULL_ID}@2`, 'core:Commerce:None', 'none:A:B'])
      t.match(await call(endpoints.getSchemaByFullId, { params: { full_id } }), { problem: { code: 'not_found' } });
  });

  await t.test('documents against a schema of a library', async (t) => {
    const params = { full_id: FULL_ID };
    const good = { order_id: 'a', ordered_at: '2026-01-31T10:00:00Z' };
    const found = await call(endpoints.validateByLibrary, { params, body: { instances: [good, { order_id: 7 }] } });
    t.match(found, {
      body: {
        ...{ valid: false, checked: 2, truncated: false },
        errors: [
          { index: 1, keyword: 'required' },
          { index: 1, pointer: '/order_id', keyword: 'type' },
        ],
      },
    });
    t.match(await call(endpoints.validateByLibrary, { params, body: {} }), {
      problem: { code: 'schema_source_unclear' },
    });
    t.match(await call(endpoints.validateSchema, { body: { full_id: FULL_ID, instance: good } }), {
      body: { valid: true },
    });
  });

  await t.test('without smart data models → empty with a hint; with them → what is there', async (t) => {
    t.match(await call(endpoints.getSmartDataModels), {
      body: { version: null, subjects: [], schemas: 0, hint: /npm run/ },
    });
    const file = join(folder, 'libraries', 'sdm.json');
    await mkdir(join(folder, 'libraries'), { recursive: true });
    const ngsi = { properties: { dateObserved: { type: 'string', 'x-ngsi': { type: 'Property' } } } };
    await writeFile(file, JSON.stringify(library([model('WeatherObserved', ngsi), model('WeatherAlert')])));
    const sync = (more: object) =>
      as('acme', 'platform_admin').call(endpoints.syncCatalog, { body: { library_id: 'sdm', mode: 'apply', ...more } });
    t.match(await call(endpoints.syncCatalog, { body: { library_id: 'sdm', mode: 'apply' } }), { status: 403 });
    t.match(await sync({ mode: 'dry_run' }), { body: { created: 2, updated: 0, removed: 0 } });
    t.match(await call(endpoints.getSmartDataModels), { body: { schemas: 0 } }, 'a dry run loads nothing');
    t.match(await sync({}), { body: { created: 2 } });
    t.match(await call(endpoints.getSmartDataModels), {
      body: { version: '9.9', subjects: [{ domain: 'Weather', schemas: 2 }], license: 'CC-BY-4.0', hint: null },
    });
    t.match(await call(endpoints.getSchemaByFullId, { params: { full_id: 'sdm:Weather:WeatherObserved' } }), {
      body: { ngsi: { types: { dateObserved: 'Property' } }, version: '9.9', attribution: 'a' },
    });
    await writeFile(file, JSON.stringify(library([model('WeatherObserved', { description: 'changed' })])));
    t.match(await sync({}), { body: { created: 0, updated: 1, unchanged: 0, removed: 1 } });
    t.match(await call(endpoints.getSmartDataModels), { body: { schemas: 2 } }, 'nothing is removed unless asked');
    t.match(await sync({ prune: true }), { body: { unchanged: 1, removed: 1 } });
    t.match(await call(endpoints.getSmartDataModels), { body: { schemas: 1 } });
    await writeFile(file, JSON.stringify({ ...library([model('a'), model('a')]), license: '' }));
    t.match(await sync({}), {
      problem: { code: 'schema_library_invalid', errors: [{ pointer: '/license' }, { pointer: '/schemas/1' }] },
    });
    t.match(await sync({ library_id: 'none' }), { problem: { code: 'not_found' } });
  });
});
