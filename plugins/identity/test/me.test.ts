import { type KnownPrincipal, kernelProblems } from '@weir/kernel/contract';
import t from 'tap';
import { createApiToken, getMe } from '../src/contract.ts';
import { whoCalls } from '../src/me/who-calls.ts';
import { bodyOf, withToken, world } from './kit.ts';

t.test('whoever has a good credential is told who they are, and nobody else is', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme', 'pipeline_editor');
  const me = bodyOf(await call(getMe));
  t.match(me, {
    ...{ kind: 'user', subject: 'pipeline_editor@acme', all_tenants: false, platform_admin: false },
    ...{ tenants: [{ alias: 'acme', roles: ['pipeline_editor'] }], capabilities: null, api_token_id: null },
  });
  t.ok(Date.parse(String(me.expires_at)) > Date.now());
  t.match(bodyOf(await here.as('acme', 'nobody').call(getMe)), { tenants: [{ alias: 'acme', roles: [] }] });
  t.match(bodyOf(await here.as('nowhere', 'platform_admin').call(getMe, {}, { 'x-tenant-id': 'a b' })), {
    ...{ tenants: [], platform_admin: true },
  });
  const made = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'viewer' } }));
  t.match(await withToken(here, String(made.token), getMe), {
    status: 200,
    body: {
      ...{ kind: 'api_token', subject: 'pipeline_editor@acme', client: `api-token:${made.api_token_id}` },
      ...{ tenants: [{ alias: 'acme', roles: ['viewer'] }], api_token_id: made.api_token_id },
      expires_at: made.expires_at,
    },
  });
  for (const headers of [{}, { authorization: 'Bearer guessed' }]) {
    const answer = await here.app.inject({ url: '/api/v1/me', headers });
    t.match([answer.statusCode, answer.json()], [401, { code: kernelProblems.unauthenticated.entry.code }]);
  }
});

t.test('services and delegations are told what they were given', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const tell = whoCalls(here.kernel.tenants);
  const service = { kind: 'service', subject: 's', client: 'robot', capabilities: ['user:read'] } as const;
  t.match(await tell({ ...service, tenants: '*' }), { tenants: [], all_tenants: true, capabilities: ['user:read'] });
  t.match(await tell({ ...service, tenants: ['acme', 'gone'] }), {
    ...{ tenants: [{ alias: 'acme', roles: [] }], all_tenants: false, expires_at: null },
  });
  const person: KnownPrincipal = {
    ...{ kind: 'delegation', subject: 'ann', client: 'portal', capabilities: [], name: 'Ann', email: 'ann@acme' },
    ...{ organizations: ['acme'], realmRoles: ['admin'], tenantRoles: { acme: ['viewer'] } },
  };
  t.match(await tell(person), {
    ...{ kind: 'delegation', name: 'Ann', email: 'ann@acme', capabilities: [] },
    ...{ tenants: [{ alias: 'acme', roles: ['viewer'] }] },
  });
  await t.rejects(tell({ kind: 'anonymous' }), { code: 'unauthenticated' });
});
