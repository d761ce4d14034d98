import t from 'tap';
import {
  createApiToken,
  createPolicy,
  deletePolicy,
  getPolicy,
  listApiTokens,
  listPolicies,
  listUsers,
  updatePolicy,
} from '../src/contract.ts';
import { bodyOf, withToken, world } from './kit.ts';

const FORBID = `@id("no-lists") forbid (principal, action in Action::"users:read", resource) unless { principal.roles.contains("admin") };`;

t.test('a policy in force forbids at once, and nothing any more when it is archived', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const [admin, viewer, foreign] = [
    here.as('acme').call,
    here.as('acme', 'viewer').call,
    here.as('other', 'viewer').call,
  ];
  t.match(await viewer(listUsers), { status: 200 });
  const document = { cedar: FORBID };
  const made = bodyOf(await admin(createPolicy, { body: { name: 'p', kind: 'access', status: 'active', document } }));
  t.match(await viewer(listUsers), { status: 403, problem: { code: 'access_policy_forbids' } });
  t.match(await admin(listUsers), { status: 200 });
  t.match(await viewer(listApiTokens), { status: 200 });
  t.match(await foreign(listUsers), { status: 200 });
  const { token } = bodyOf(await viewer(createApiToken, { body: { name: 'ci', role: 'viewer' } }));
  t.match(await withToken(here, String(token), listUsers), { status: 403, body: { code: 'access_policy_forbids' } });
  const params = { policy_id: made.policy_id };
  await admin(updatePolicy, { params, body: { document, expected_version: 1, status: 'archived' } });
  t.match(await viewer(listUsers), { status: 200 });
});

t.test('bindings leave callers what fits, and never give more than the token does', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const [admin, viewer] = [here.as('acme').call, here.as('acme', 'viewer').call];
  const bindings = [
    { match: { claim: 'sub', in: ['admin@acme', 'viewer@acme'] }, grant: { roles: ['admin'] } },
    { match: { claim: 'roles', equals: 'pipeline_editor' }, grant: { roles: ['viewer'], tenants: ['acme'] } },
  ];
  const body = { name: 'b', kind: 'access' as const, status: 'active' as const, document: { bindings } };
  t.match(await admin(createPolicy, { body }), { status: 201 });
  const editor = here.as('acme', 'pipeline_editor').call;
  t.match(await editor(listPolicies), { status: 403, problem: { code: 'access_policy_forbids' } });
  t.match(await editor(listUsers), { status: 200 });
  t.match(await viewer(listPolicies), { status: 403, problem: { code: 'forbidden_role' } });
  t.match(await admin(listPolicies), { status: 200 });
});

t.test('a path is one resource however its ids are spelt, and lies in the paths that it begins with', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const one = bodyOf(await call(createPolicy, { body: { name: 'one', kind: 'access', document: { cedar: FORBID } } }));
  const params = { policy_id: one.policy_id };
  const cedar = `forbid (principal, action in Action::"read", resource in Resource::"/identity-policies/${one.policy_id}");`;
  t.match(await call(createPolicy, { body: { name: 'two', kind: 'access', status: 'active', document: { cedar } } }), {
    status: 201,
  });
  for (const policy_id of [params.policy_id, params.policy_id.toUpperCase()])
    t.match(await call(getPolicy, { params: { policy_id } }), { status: 403 }, policy_id);
  t.match(await call(listPolicies), { status: 200 });
});

t.test('no document locks the admins out unless that is asked for', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const create = (name: string, document: object, more: object = {}) =>
    call(createPolicy, { body: { name, kind: 'access', status: 'active', document, ...more } as never });
  const lockouts = [
    { cedar: 'forbid (principal, action, resource);' },
    { cedar: 'forbid (principal, action == Action::"identity.update_policy", resource);' },
    {
      cedar: 'forbid (principal, action in Action::"policies:read", resource) when { principal.sub == "admin@acme" };',
    },
    { bindings: [{ match: { claim: 'sub', equals: 'bob' }, grant: { roles: ['admin'] } }] },
    { bindings: [{ match: { claim: 'kind', equals: 'user' }, grant: { roles: ['viewer'] } }] },
  ];
  for (const [n, document] of lockouts.entries()) {
    t.match(
      await create(`l${n}`, document),
      { status: 409, problem: { code: 'last_admin_policy' } },
      JSON.stringify(document),
    );
    const draft = bodyOf(await call(createPolicy, { body: { name: `d${n}`, kind: 'access', document } }));
    const params = { policy_id: draft.policy_id };
    const body = { document, expected_version: 1, status: 'active' as const };
    t.match(await call(updatePolicy, { params, body }), { problem: { code: 'last_admin_policy' } });
  }
  const { token } = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'admin' } }));
  const people = { cedar: 'forbid (principal, action, resource) when { principal.kind == "user" };' };
  const body = { name: 'bots', kind: 'access' as const, status: 'active' as const, document: people };
  t.match(await withToken(here, String(token), createPolicy, { body }), { body: { code: 'last_admin_policy' } });
  t.match(await create('all', lockouts[0] as object, { allow_lockout: true }), { status: 201 });
  t.match(await call(listPolicies), { status: 403, problem: { code: 'access_policy_forbids' } });
});

t.test('while a policy cannot be evaluated nothing passes but an admin who looks after policies', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const cedar =
    'forbid (principal, action in Action::"read", resource) when { 9223372036854775807 + (if principal.kind == "user" then 1 else 0) == 1 };';
  const document = { cedar };
  const made = bodyOf(await call(createPolicy, { body: { name: 'sum', kind: 'access', status: 'active', document } }));
  t.match(await call(listUsers), { status: 403, problem: { code: 'access_policy_unevaluable' } });
  t.match(await here.as('acme', 'pipeline_editor').call(listPolicies), {
    problem: { code: 'access_policy_unevaluable' },
  });
  t.match(await call(listPolicies), { status: 200 });
  const params = { policy_id: made.policy_id };
  await here.database.peek(`alter table identity.policy_version disable row level security`);
  await here.database.peek(`update identity.policy_version set document = '{"cedar": "no cedar"}', digest = 'x'`);
  const put = { document: { cedar: FORBID }, expected_version: 1, status: 'archived' as const };
  t.match(await call(listUsers), { status: 403 });
  t.match(await call(updatePolicy, { params, body: put }), { status: 200 });
  t.match(await call(listUsers), { status: 200 });
  t.match(await call(deletePolicy, { params }), { status: 204 });
});
