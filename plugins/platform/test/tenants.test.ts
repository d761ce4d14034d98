import t from 'tap';
import {
  createTenant,
  getLimits,
  getTenant,
  getTenantLimits,
  listPlatformAudit,
  listTenantPlugins,
  listTenants,
  setTenantLimits,
} from '../src/contract.ts';
import { bodyOf, type World, world } from './kit.ts';

const make = ({ admin }: World, alias: unknown) => admin(createTenant, { body: { alias } as { alias: string } });
const tenants = ({ database }: World) => database.peek('select tenant_id, alias, scope from kernel.tenant order by 1');

t.test('a platform admin makes a tenant → 201 with its place, at once readable, and in the trail', async (t) => {
  const here = await world(t);
  const made = await make(here, 'Globex-2');
  t.match(made, {
    status: 201,
    body: { tenant_id: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/, alias: 'Globex-2', scope: 'globex_2' },
  });
  t.equal(made.headers.get('location'), '/api/v1/tenants/Globex-2');
  const params = { alias: 'Globex-2' };
  t.strictSame(bodyOf(await here.admin(getTenant, { params })), bodyOf(made));
  t.match(await here.admin(getTenantLimits, { params }), { status: 200 });
  const { items } = bodyOf(await here.admin(listPlatformAudit, { query: { action: 'platform.create_tenant' } }));
  t.match(items, [{ result: 'done', status: 201, location: '/api/v1/tenants/Globex-2' }]);
  t.equal(items.length, 1);
});

t.test('a taken alias, of a disabled tenant too → 409, and the tenant stays as it is', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.database.peek(`update kernel.tenant set disabled_at = now() where alias = 'acme'`);
  const before = await tenants(here);
  t.match(await make(here, 'acme'), { status: 409, problem: { code: 'tenant_alias_taken' } });
  t.strictSame(await tenants(here), before);
  t.match(await here.admin(getTenant, { params: { alias: 'acme' } }), { status: 404 }, 'a disabled one does not exist');
  const made = await Promise.all(['x', 'x', 'x', 'x'].map((alias) => make(here, alias)));
  t.strictSame(made.map(({ status }) => status).sort(), [201, 409, 409, 409], 'of several at once, one is made');
});

t.test('a hostile alias → 400 that says the rule and not the alias, and no tenant', async (t) => {
  const here = await world(t);
  const rule = {
    status: 400,
    problem: { code: 'tenant_alias_invalid', detail: /at most 63 letters, digits, - and _/ },
  };
  for (const alias of [
    "a'; drop table kernel.tenant --",
    'a b',
    'ä',
    'ａ',
    '-a',
    '_a',
    '../x',
    'x\n',
    'a\u200b',
    '%',
    '*',
  ]) {
    t.match(await make(here, alias), rule, alias);
  }
  t.notMatch(JSON.stringify(await make(here, 'zz canary')), 'canary');
  for (const alias of ['', 'a'.repeat(64), null, 7, ['acme'], undefined]) {
    t.match(await make(here, alias), { status: 400, problem: { code: 'validation_failed' } });
  }
  t.match(await make(here, 'a\0'), { status: 400 });
  t.match(await here.admin(createTenant, { body: { alias: 'acme', tenant_id: 'x' } as never }), { status: 400 });
  t.strictSame(await tenants(here), []);
  const made = await here.admin(createTenant, { body: { alias: 'globex', plugins: ['extra'] } });
  t.match(made, { status: 201 });
  const { items } = bodyOf(await here.admin(listTenantPlugins, { params: { alias: 'globex' } }));
  t.match(
    items.find(({ plugin_id }) => plugin_id === 'extra'),
    { enabled: true, changed_by: String },
  );
});

t.test('whoever is no platform admin → 403 or 401, and no tenant', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  for (const role of ['viewer', 'pipeline_editor', 'admin', 'service']) {
    const { call } = here.as('acme', role);
    t.match(await call(createTenant, { body: { alias: 'globex' } }), { status: 403 }, role);
    t.match(await call(getTenant, { params: { alias: 'acme' } }), { status: 403 }, role);
  }
  const answer = await here.app.inject({ method: 'POST', url: '/api/v1/tenants', payload: { alias: 'globex' } });
  t.equal(answer.statusCode, 401);
  t.match(await tenants(here), [{ alias: 'acme' }]);
  t.equal((await tenants(here)).length, 1);
});

t.test('plugins of a new tenant → it has them; one that no tenant can be given → nothing is made', async (t) => {
  const here = await world(t);
  const answer = await here.admin(createTenant, { body: { alias: 'globex', plugins: ['none'] } });
  t.match(answer, { status: 409, problem: { code: 'plugin_not_optional', errors: [{ pointer: '/plugins/0' }] } });
  t.strictSame(await tenants(here), []);
  const made = await here.admin(createTenant, { body: { alias: 'globex', plugins: ['extra'] } });
  t.match(made, { status: 201 });
  const { items } = bodyOf(await here.admin(listTenantPlugins, { params: { alias: 'globex' } }));
  t.match(
    items.find(({ plugin_id }) => plugin_id === 'extra'),
    { enabled: true, changed_by: String },
  );
});

t.test('all tenants → for a platform admin, by alias and page by page, without one that is switched off', async (t) => {
  const here = await world(t);
  for (const alias of ['northwind', 'acme', 'Zulu', 'gone']) await here.tenant(alias);
  await here.database.peek("update kernel.tenant set disabled_at = now() where alias = 'gone'");
  const page = async (query: object) => bodyOf(await here.admin(listTenants, { query }));
  const first = await page({ limit: 2 });
  t.match(first.items, [{ alias: 'Zulu', scope: 'zulu', tenant_id: String }, { alias: 'acme' }]);
  const rest = await page({ limit: 2, page_token: first.next_page_token });
  t.match(rest, { items: [{ alias: 'northwind' }], next_page_token: null });
  t.equal(rest.items.length, 1);
  t.match((await page({ order: '-alias', limit: 1 })).items, [{ alias: 'northwind' }]);
  t.match(await here.admin(listTenants, { query: { page_token: 'x' } }), { problem: { code: 'invalid_page_token' } });
  t.match(await here.admin(listTenants, { query: { page_token: first.next_page_token ?? '', order: '-alias' } }), {
    problem: { code: 'invalid_page_token' },
  });
  for (const role of ['viewer', 'pipeline_editor', 'admin'])
    t.match(await here.as('acme', role).call(listTenants, {}), { status: 403 }, role);
});

t.test('the limits of the own tenant → for its admin, and of no other tenant', async (t) => {
  const here = await world(t);
  for (const alias of ['acme', 'globex']) await here.tenant(alias);
  const body = { runs_per_day: 7, concurrent_runs: null, storage_bytes: null };
  t.match(await here.admin(setTenantLimits, { params: { alias: 'acme' }, body }), { status: 200 });
  t.match(bodyOf(await here.as('acme', 'admin').call(getLimits, {})), { tenant: 'acme', runs_per_day: 7 });
  t.match(bodyOf(await here.as('globex', 'admin').call(getLimits, {})), { tenant: 'globex', runs_per_day: null });
  t.match(await here.as('acme', 'viewer').call(getLimits, {}), { status: 403 });
  t.match(await here.as('acme', 'admin').call(getTenantLimits, { params: { alias: 'acme' } }), { status: 403 });
});
