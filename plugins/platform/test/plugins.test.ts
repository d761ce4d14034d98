import t from 'tap';
import { listPlugins, listTenantPlugins, setTenantPlugin } from '../src/contract.ts';
import { bodyOf, type World, world } from './kit.ts';

const set = ({ admin }: World, alias: string, plugin_id: string, enabled: boolean) =>
  admin(setTenantPlugin, { params: { alias, plugin_id }, body: { enabled } });

t.test('a tenant sees every plugin, which of them it has, and what each asks for', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const seen = await here.as('acme', 'viewer').call(listPlugins);
  t.match(seen, {
    ok: true,
    body: {
      total: 3,
      next_page_token: null,
      items: [
        { plugin_id: 'platform', tenancy: 'always', enabled: true, routes: 23 },
        {
          plugin_id: 'base',
          version: '1.2.3',
          enabled: true,
          permissions: [{ permission: 'base:read', description: 'See base' }],
        },
        { plugin_id: 'extra', tenancy: 'opt-in', enabled: false, routes: 0 },
      ],
    },
  });
  t.match(await set(here, 'acme', 'extra', true), {
    ok: true,
    body: { plugin_id: 'extra', tenant: 'acme', enabled: true, changed_by: 'platform_admin@acme', changed_at: /Z$/ },
  });
  const enabled = async (alias: string) => {
    const answer = await here.as(alias, 'viewer').call(listPlugins);
    return answer.ok && answer.body.items.find(({ plugin_id }) => plugin_id === 'extra')?.enabled;
  };
  t.strictSame([await enabled('acme'), await enabled('other')], [true, false]);
  t.match(await here.admin(listTenantPlugins, { params: { alias: 'other' } }), {
    body: { items: [{ enabled: true, changed_by: null }, {}, { plugin_id: 'extra', enabled: false, tenant: 'other' }] },
  });
  t.match(await set(here, 'acme', 'extra', false), { body: { enabled: false } });
  t.equal(await enabled('acme'), false);
});

t.test('a choice that is so already changes nothing, and says who made it', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const first = await set(here, 'acme', 'extra', true);
  t.strictSame(bodyOf(await set(here, 'acme', 'extra', true)), bodyOf(first));
});

t.test(
  'only platform admins choose, only opt-in plugins can be chosen, and what is unknown is not found',
  async (t) => {
    const here = await world(t);
    await here.tenant('acme');
    t.match(await set(here, 'acme', 'base', false), { status: 409, problem: { code: 'plugin_not_optional' } });
    t.match(await set(here, 'acme', 'platform', true), { status: 409, problem: { code: 'plugin_not_optional' } });
    t.match(await set(here, 'acme', 'nothing', true), { status: 404, problem: { code: 'not_found' } });
    t.match(await set(here, 'nobody', 'extra', true), { status: 404, problem: { code: 'not_found' } });
    t.match(await here.admin(listTenantPlugins, { params: { alias: 'nobody' } }), { status: 404 });
    for (const [alias, id] of [
      ['-', 'extra'],
      ['acme', 'Extra'],
      ['acme', '..'],
      ["a'b", 'extra'],
    ] as const)
      t.match(await set(here, alias, id, true), { status: /^40[04]$/ }, `${alias} ${id}`);
    for (const role of ['viewer', 'pipeline_editor', 'admin']) {
      const { call } = here.as('acme', role);
      const params = { alias: 'acme', plugin_id: 'extra' };
      t.match(await call(setTenantPlugin, { params, body: { enabled: true } }), { status: 403 });
      t.match(await call(listTenantPlugins, { params: { alias: 'acme' } }), { status: 403 });
    }
    t.strictSame(await here.database.peek('select 1 from kernel.tenant_plugin'), []);
  },
);
