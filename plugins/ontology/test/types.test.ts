import { call as callAs, type Endpoint, type Input } from '@weir/kernel/contract';
import { conformance } from '@weir/kernel/testing';
import { Secret } from '@weir/vault';
import t from 'tap';
import transforms from '../../transforms/package.json' with { type: 'json' };
import packageJson from '../package.json' with { type: 'json' };
import * as endpoints from '../src/contract.ts';
import { type DeclaredType, StoreFault } from '../src/model/entity/store.ts';
import plugin from '../src/plugin.ts';
import { property, setUp, vehicle } from './kit.ts';

const SPEED = property('speed', 'double', { unit: 'km/h' });
const params = { code: 'Vehicle' };

t.test('entity types and their versions', async (t) => {
  const app = await setUp(t);
  const { call, as } = app;
  type Deployed = Parameters<typeof conformance>[1];
  const manifest = packageJson.weir as Deployed['manifest'];
  // A preview is a query: its permission is that of transforms.
  const beside = [transforms.weir] as unknown as Deployed['beside'] & object;
  conformance(t, { manifest, plugin, registration: app.registration, beside });

  const create = (body: object) => call(endpoints.createEntityType, { body: body as never });
  const version = (document: object, more: object = {}) =>
    call(endpoints.createEntityTypeVersion, { params, body: { document, base_version: 1, ...more } as never });
  const document = (more: object[] = [], rest: object = {}) => {
    const { code: _, ...whole } = vehicle(more, rest);
    return whole;
  };
  const get = (query: object = {}) => call(endpoints.getEntityType, { params, query });
  const codes = async (query: object = {}) => {
    const answer = await call(endpoints.listEntityTypes, { query });
    return answer.ok ? answer.body.items.map(({ code }) => code) : answer.problem.code;
  };

  await t.test('a type → its first version, with every member; its code is taken in any case', async (t) => {
    const made = await create(vehicle([SPEED], { name: 'Vehicle', status: 'active' }));
    t.match(made, {
      status: 201,
      body: {
        ...{ tenant: 'acme', code: 'Vehicle', status: 'active', version: 1, latest_version: 1, etag: '1' },
        properties: [
          { code: 'vin', carrier_type: 'string' },
          { code: 'speed', unit: 'km/h', required: false },
        ],
        relationships: [],
        created_by: 'admin@acme',
      },
    });
    t.match(await get(), { body: made.ok && made.body });
    for (const code of ['Vehicle', 'VEHICLE'])
      t.match(await create({ ...vehicle(), code }), { status: 409, problem: { code: 'entity_type_taken' } }, code);
    t.match(await create({ ...vehicle([property('vin')]), code: 'Broken' }), {
      status: 422,
      problem: { code: 'entity_type_invalid', errors: [{ pointer: '/properties/1/code', code: 'repeated' }] },
    });
    t.match(await create({ ...vehicle(), code: '1st' }), { status: 400, problem: { code: 'validation_failed' } });
  });

  await t.test('another version is judged; the same again adds nothing but its labels', async (t) => {
    const stricter = document([SPEED, property('wheels', 'integer', { required: true })]);
    const changes = [{ pointer: '/properties/wheels', change: 'required_property_added', breaking: true }];
    t.match(await version(stricter), { status: 409, problem: { code: 'incompatible_version', changes } });
    const judged = await version(stricter, { dry_run: true });
    t.match(judged, { status: 200, body: { version: 2, verdict: 'breaking', changes } }, 'looked at first');
    t.match(await get(), { body: { version: 1 } });
    const wheels = document([SPEED, property('wheels', 'integer')]);
    t.match(await version(wheels, { note: 'Wheels' }), {
      status: 201,
      body: { version: 2, verdict: 'compatible', changes: [{ change: 'property_added', breaking: false }] },
    });
    t.match(await version(document()), { status: 409, problem: { code: 'version_conflict', version: 2 } });
    const before = await get();
    t.match(await version(wheels), { status: 200, body: { version: 2, changes: [] } }, 'sent again by an old base');
    t.match(await get(), { body: before.ok && before.body }, 'nothing was written');
    const named = document([{ ...SPEED, name: 'Tempo', unit: 'm/s' }, property('wheels', 'integer')]);
    t.match(await version(named, { base_version: 2 }), { status: 200, body: { version: 2 } });
    t.match(await get(), { body: { version: 2, etag: '3', properties: [{}, { name: 'Tempo', unit: 'm/s' }, {}] } });
    t.match(await get({ version: 1 }), { body: { version: 1, latest_version: 2, properties: [{}, { unit: 'm/s' }] } });
    t.match(await version(stricter, { base_version: 2, allow_breaking: true }), {
      status: 201,
      body: { version: 3, verdict: 'breaking', changes: [{ pointer: '/properties/wheels/required' }] },
    });
    t.match(await call(endpoints.listEntityTypeVersions, { params, query: { limit: 2 } }), {
      body: {
        items: [
          { version: 3, verdict: 'breaking' },
          { version: 2, note: 'Wheels' },
        ],
        next_page_token: String,
      },
    });
    const from = { params: { code: 'Vehicle', version: 3 }, query: { to: 1 } };
    t.match(await call(endpoints.differEntityTypeVersions, from), {
      body: { from: 3, to: 1, verdict: 'breaking', changes: [{ change: 'property_removed' }] },
    });
    t.match(await get({ version: 9 }), { status: 404 });
  });

  await t.test('labels and status change by PATCH, the rest by versions only; a stale etag is refused', async (t) => {
    const change = (body: object, headers: Record<string, string> = {}) =>
      call(endpoints.changeEntityType, { params, body: body as never }, headers);
    t.match(await change({ properties: [], primary_key: ['x'] }), {
      ...{ status: 422, problem: { code: 'use_versions' } },
      problem: { errors: [{ pointer: '/properties' }, { pointer: '/primary_key' }] },
    });
    t.match(await change({ colour: 'red' }), { status: 400 });
    t.match(await change({ description: 'Fährt' }, { 'if-match': '"1"' }), { status: 412 });
    t.match(await change({ description: 'Fährt', icon: 'car' }), {
      body: { description: 'Fährt', icon: 'car', etag: '5' },
    });
    t.match(await change({ icon: 'car' }), { body: { etag: '5' } }, 'nothing changes');
    t.match(await change({ status: 'draft' }), { status: 422, problem: { code: 'entity_type_status_refused' } });
    t.match(await change({ status: 'deprecated', description: null }), {
      body: { status: 'deprecated', description: null },
    });
    t.match(await change({ status: 'active' }), { body: { status: 'active' } });
  });

  await t.test('a type that others lead to stays; a retired one is not found, its code stays taken', async (t) => {
    const owner = { code: 'owner', target_type: 'Vehicle', cardinality: 'one' };
    const refers = (target_key: string[]) => ({
      ...vehicle([], { relationships: [{ ...owner, target_key }] }),
      code: 'Trip',
    });
    t.match(await create(refers(['id'])), {
      problem: {
        code: 'entity_type_invalid',
        errors: [{ pointer: '/relationships/0/target_key', code: 'target_key' }],
      },
    });
    t.match(await create(refers(['vin'])), { status: 201 });
    const remove = (code: string) => call(endpoints.retireEntityType, { params: { code } });
    t.match(await remove('Vehicle'), {
      status: 409,
      problem: { code: 'entity_type_in_use', used_by: [{ kind: 'entity-type', id: 'Trip', name: 'Trip' }] },
    });
    const other = document([property('id', 'string', { required: true })], { primary_key: ['id'] });
    t.match(await version(other, { base_version: 3, allow_breaking: true }), {
      problem: { errors: [{ pointer: '/document/primary_key', code: 'referenced' }] },
    });
    t.match(await remove('Trip'), { status: 204 });
    t.match(await remove('Vehicle'), { status: 204 });
    t.strictSame(await codes(), []);
    t.strictSame(await codes({ status: 'retired' }), ['Trip', 'Vehicle']);
    for (const answer of [await get(), await remove('Vehicle'), await version(document(), { base_version: 3 })])
      t.match(answer, { status: 404, problem: { code: 'not_found' } });
    t.match(await call(endpoints.listEntityTypeVersions, { params }), { status: 404 });
    t.match(await call(endpoints.listEntityTypeVersions, { params, query: { include: 'retired' } }), { ok: true });
    t.match(await get({ include: 'retired' }), { body: { status: 'retired', version: 3 } });
    t.match(await create({ ...vehicle(), code: 'vehicle' }), { problem: { code: 'entity_type_taken' } });
    const change = (body: object) => call(endpoints.changeEntityType, { params, body });
    t.match(await change({ name: 'X' }), { status: 404 });
    t.match(await change({ status: 'active' }), { body: { status: 'active', version: 3 } });
    t.match(await get(), { ok: true });
  });

  await t.test('another tenant → as if nothing were there', async (t) => {
    const shown = async (code: string) => {
      const found = await as('other').call(endpoints.getEntityType, { params: { code } });
      return found.ok ? found : { ...found.problem, trace_id: '' };
    };
    t.strictSame(await shown('Vehicle'), await shown('Absent'));
    t.match(await as('other').call(endpoints.createEntityType, { body: vehicle() as never }), { status: 201 });
    t.match(await as('other').call(endpoints.getEntityType, { params }), { body: { tenant: 'other', version: 1 } });
    t.strictSame(await codes({ q: 'EHIC' }), ['Vehicle']);
    t.strictSame(await codes({ q: '%' }), []);
  });
});

t.test('a service that names no tenant → lists go over its tenants, other calls must be clear', async (t) => {
  const { app, as } = await setUp(t);
  for (const alias of ['acme', 'other'])
    for (const code of ['A', 'B', 'C'])
      await as(alias).call(endpoints.createEntityType, { body: { ...vehicle(), code } as never });
  const { authorization = '' } = await as('acme', 'service').headers();
  const call = <E extends Endpoint>(endpoint: E, input: Partial<Input<E>>, tenant?: string) => {
    const asked: typeof fetch = async (url, init) => {
      const { pathname, search } = new URL(String(url));
      const headers = { ...(init?.headers as Record<string, string>), authorization };
      if (tenant === undefined) delete (headers as Record<string, string>)['x-tenant-id'];
      const payload = init?.body === undefined ? {} : { payload: String(init?.body) };
      const answer = await app.inject({ method: init?.method as 'GET', url: pathname + search, headers, ...payload });
      const type = { 'content-type': String(answer.headers['content-type']) };
      return new Response(answer.body, { status: answer.statusCode, headers: type });
    };
    return callAs(endpoint, input, { url: 'http://weir.test', token: 'x', tenant: tenant ?? '', fetch: asked });
  };
  const pages = async (query: object, tenant?: string) => {
    const seen: string[][] = [];
    for (let page_token: string | undefined, more = true; more; ) {
      const answer = await call(
        endpoints.listEntityTypes,
        { query: { ...query, ...(page_token && { page_token }) } },
        tenant,
      );
      if (!answer.ok) return answer.problem.code;
      seen.push(answer.body.items.map((one) => `${one.tenant} ${one.code}`));
      page_token = answer.body.next_page_token ?? undefined;
      more = page_token !== undefined;
    }
    return seen;
  };
  const acme = ['acme A', 'acme B', 'acme C'];
  t.strictSame(await pages({}), [[...acme, 'other A', 'other B', 'other C']]);
  t.strictSame(await pages({ limit: 3 }), [acme, ['other A', 'other B', 'other C']]);
  t.strictSame(await pages({ limit: 2 }), [
    ['acme A', 'acme B'],
    ['acme C', 'other A'],
    ['other B', 'other C'],
  ]);
  t.strictSame(await pages({ limit: 4, order: '-code' }), [
    ['acme C', 'acme B', 'acme A', 'other C'],
    ['other B', 'other A'],
  ]);
  t.strictSame(await pages({}, 'other'), [['other A', 'other B', 'other C']]);
  const first = await call(endpoints.listEntityTypes, { query: { limit: 2 } });
  const page_token = first.ok ? (first.body.next_page_token ?? '') : '';
  const other = await call(endpoints.listEntityTypes, { query: { limit: 2, order: 'name', page_token } });
  t.match(other, { problem: { code: 'invalid_page_token' } }, 'a token of another order');
  const unclear = { status: 400, problem: { code: 'tenant_header_required' } };
  t.match(await call(endpoints.getEntityType, { params: { code: 'A' } }), unclear);
  t.match(await call(endpoints.createEntityType, { body: { ...vehicle(), code: 'D' } as never }), unclear);
  t.match(await call(endpoints.listEntities, { params: { code: 'A' } }), unclear);
  t.match(await call(endpoints.getEntityType, { params: { code: 'A' } }, 'other'), { body: { tenant: 'other' } });
});

t.test('status → public, the same for a bad credential, asked of the store once in a while', async (t) => {
  let asked = 0;
  const { app, as } = await setUp(t, {
    store: (own) => ({
      ...own,
      reachable: async () => {
        asked += 1;
        return false;
      },
    }),
  });
  const status = { enabled: true, reachable: false, adapter: 'embedded', contract_version: 2 };
  for (const headers of [{}, { authorization: 'Bearer abc' }, { authorization: 'x', 'x-tenant-id': '?' }]) {
    const answer = await app.inject({ url: '/api/v1/ontology/status', headers });
    t.strictSame([answer.statusCode, answer.json()], [200, status]);
  }
  t.equal(asked, 1);
  t.match(await as('acme', 'viewer').call(endpoints.createEntityType, { body: vehicle() as never }), { status: 403 });
});

t.test('switched off → the status says so, every other route is 501', async (t) => {
  const { call } = await setUp(t, { settings: { ONTOLOGY_ENABLED: false } });
  t.match(await call(endpoints.getOntologyStatus), { body: { enabled: false, reachable: false } });
  for (const answer of [
    await call(endpoints.listEntityTypes),
    await call(endpoints.createEntityType, { body: vehicle() as never }),
    await call(endpoints.getEntity, { params: { ...params, key: 'x' } }),
  ])
    t.match(answer, { status: 501, problem: { code: 'feature_not_configured', feature: 'ontology' } });
});

t.test(
  'settings of an ontology service that cannot be used → the start is refused by name, without the key',
  async (t) => {
    const refused = (settings: object) => setUp(t, { settings }).catch((error: Error) => error.message);
    const [url, key] = ['https://ontology.example', new Secret('CNRY-key')];
    const named = [
      [{ ONTOLOGY_API_KEY: key }, /: ONTOLOGY_API_KEY is for an ontology service/],
      [{ ONTOLOGY_SERVICE_URL: url }, /: ONTOLOGY_API_KEY must be the key/],
      [{ ONTOLOGY_SERVICE_URL: url, ONTOLOGY_API_KEY: new Secret('CNRY key\n') }, /: ONTOLOGY_API_KEY must be the key/],
      [{ ONTOLOGY_SERVICE_URL: 'http://ontology.example', ONTOLOGY_API_KEY: key }, /must be an https address/],
      [{ ONTOLOGY_SERVICE_URL: 'CNRY', ONTOLOGY_API_KEY: key }, /must be an https address/],
      [{ ONTOLOGY_SERVICE_URL: 'https://u:CNRY@ontology.example', ONTOLOGY_API_KEY: key }, /must have no credentials/],
      [
        { ONTOLOGY_SERVICE_URL: 'https://ontology.example?key=CNRY', ONTOLOGY_API_KEY: key },
        /must have no credentials/,
      ],
      [{ ONTOLOGY_SERVICE_URL: 'ngsi-ld+https://broker.example', ONTOLOGY_API_KEY: key }, /names an NGSI-LD broker/],
    ] as const;
    for (const [settings, fault] of named) {
      const said = await refused(settings);
      t.match(said, fault);
      t.notMatch(said, /CNRY/);
    }
  },
);

t.test('a store with types of its own → gets each version first; what it refuses is stored nowhere', async (t) => {
  const put: DeclaredType[] = [];
  let fault: Error | undefined;
  const { call } = await setUp(t, {
    store: (own) => ({
      ...own,
      capabilities: () => ({ ...own.capabilities(), declaredTypes: true }),
      putEntityType: async (_, type) => {
        if (fault !== undefined) throw fault;
        put.push(type);
      },
    }),
  });
  const create = () => call(endpoints.createEntityType, { body: vehicle() as never });
  fault = new StoreFault('refused');
  t.match(await create(), { status: 502, problem: { code: 'ontology_refused' } });
  fault = new Error('down');
  t.match(await create(), { status: 503, problem: { code: 'dependency_unavailable' } });
  t.match(await call(endpoints.getEntityType, { params }), { status: 404 });
  fault = undefined;
  const made = await create();
  t.match(made, { status: 201 });
  t.match(put, [{ code: 'Vehicle', version: 1, fingerprint: made.ok && made.body.fingerprint }]);
  t.match(await create(), { status: 409 });
  const { code: _, ...document } = vehicle([SPEED]);
  const body = { document, base_version: 1 } as never;
  fault = new StoreFault('refused');
  t.match(await call(endpoints.createEntityTypeVersion, { params, body }), { status: 502 });
  t.match(await call(endpoints.getEntityType, { params }), { body: { version: 1 } });
  fault = undefined;
  t.match(await call(endpoints.createEntityTypeVersion, { params, body }), { body: { version: 2 } });
  t.strictSame(
    put.map(({ version }) => version),
    [1, 2],
  );
});
