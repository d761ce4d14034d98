import type { Tenant } from '@weir/kernel/contract';
import t from 'tap';
import { createApiToken, getApiToken, listApiTokens, listUsers, revokeApiToken } from '../src/contract.ts';
import { bodyOf, withToken, world } from './kit.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

t.test(
  'a token is shown once, is kept by its hash alone, and acts in one tenant with the role it was given',
  async (t) => {
    const here = await world(t);
    await here.tenant('acme');
    const { call } = here.as('acme', 'pipeline_editor');
    const made = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'viewer' } }));
    const token = String(made.token);
    t.match(token, /^weir_[0-9a-f]{64}_[0-9a-f]{64}$/);
    t.match(made, { name: 'ci', role: 'viewer', effective_role: 'viewer', created_by: 'pipeline_editor@acme' });
    t.equal(Math.round((Date.parse(made.expires_at) - Date.parse(made.created_at)) / DAY_MS), 90);
    const secret = token.split('_')[2] ?? '';
    for (const table of ['api_token', 'person']) {
      const rows = await here.database.peek(`select to_jsonb(x)::text as row from identity.${table} x`);
      t.notMatch(JSON.stringify(rows), secret, table);
    }
    const { token: _shownOnce, ...shown } = made;
    t.strictSame(bodyOf(await call(getApiToken, { params: { api_token_id: made.api_token_id } })), shown);
    t.match(await withToken(here, token, listUsers), { status: 200 });
    t.match(await withToken(here, token, getApiToken, { params: { api_token_id: made.api_token_id } }), {
      status: 200,
    });
    const wrong = [
      `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
      token.replace(/_./, '_x'),
      'weir_',
      'weir_a_b',
    ];
    for (const other of wrong)
      t.match(await withToken(here, other, listUsers), { status: 401, body: { code: 'unauthenticated' } });
  },
);

t.test('an idempotency key remembers that a token was made, and not its text', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme', 'admin');
  const once = () => call(createApiToken, { body: { name: 'ci', role: 'viewer' } }, { 'idempotency-key': 'k1' });
  const [first, second] = [bodyOf(await once()), bodyOf(await once())];
  t.equal(second.api_token_id, first.api_token_id);
  t.equal(second.token, null);
  const rows = await here.database.peek('select answer::text from kernel.idempotency_key');
  t.notMatch(JSON.stringify(rows), String(first.token).split('_')[2]);
});

t.test('nobody makes a token above their role, and no token makes tokens', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme', 'viewer');
  for (const role of ['pipeline_editor', 'admin'] as const)
    t.match(await call(createApiToken, { body: { name: 'up', role } }), {
      status: 422,
      problem: { code: 'token_role_too_high' },
    });
  const admin = here.as('acme', 'admin').call;
  const { token } = bodyOf(await admin(createApiToken, { body: { name: 'ci', role: 'admin' } }));
  t.match(await withToken(here, String(token), createApiToken, { body: { name: 'next', role: 'viewer' } }), {
    status: 403,
    body: { code: 'token_needs_person' },
  });
  t.match(await admin(createApiToken, { body: { name: 'ci', role: 'viewer' } }), {
    status: 409,
    problem: { code: 'token_name_taken' },
  });
  for (const expires_in_days of [0, 366, 1.5])
    t.match(await admin(createApiToken, { body: { name: 'long', role: 'viewer', expires_in_days } }), { status: 400 });
});

t.test('a token has never more than its maker has now, and nothing when its maker has nothing', async (t) => {
  const here = await world(t);
  const acme = await here.tenant('acme');
  const { call } = here.as('acme', 'admin');
  const { token, api_token_id } = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'admin' } }));
  const as = async (roles: string[], expired = false) => {
    await here.database.peek('update identity.person set roles = $1', [JSON.stringify(roles)]);
    await here.database.peek(
      `update identity.api_token set created_at = $1::timestamptz, expires_at = $1::timestamptz + interval '90 days'`,
      [expired ? '2020-01-01' : new Date().toISOString()],
    );
    here.registration.contributes?.forEach(({ value }) => {
      const reader = value as { forget?(tenant: Tenant): void };
      reader.forget?.(acme);
    });
    return withToken(here, String(token), getApiToken, { params: { api_token_id } });
  };
  t.match(await as(['viewer', 'admin']), { status: 200, body: { effective_role: 'admin' } });
  t.match(await as(['viewer']), { status: 200, body: { effective_role: 'viewer', role: 'admin' } });
  t.match(await as([]), { status: 401 });
  t.match(await as(['admin']), { status: 200 });
  t.match(await as(['admin'], true), { status: 401 });
});

t.test('each sees and revokes their own tokens, admins those of the tenant, and nobody those of another', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const [viewer, editor, admin, foreign] = [
    here.as('acme', 'viewer'),
    here.as('acme', 'pipeline_editor'),
    here.as('acme', 'admin'),
    here.as('other', 'admin'),
  ];
  const made = bodyOf(await viewer.call(createApiToken, { body: { name: 'mine', role: 'viewer' } }));
  const params = { api_token_id: made.api_token_id };
  const named = (name: string) => viewer.call(listApiTokens, { query: { name } });
  t.match(
    [await named('mine'), await named('other')],
    [{ body: { items: [{ name: 'mine' }] } }, { body: { items: [] } }],
  );
  const names = async ({ call }: typeof viewer) => bodyOf(await call(listApiTokens)).items.map(({ name }) => name);
  t.strictSame(await Promise.all([viewer, editor, admin, foreign].map(names)), [['mine'], [], ['mine'], []]);
  for (const one of [editor, foreign]) {
    t.match(await one.call(getApiToken, { params }), { status: 404 });
    t.match(await one.call(revokeApiToken, { params }), { status: 404 });
  }
  t.match(await withToken(here, String(made.token), listUsers), { status: 200 });
  t.match(await admin.call(revokeApiToken, { params }), { status: 204 });
  t.match(await withToken(here, String(made.token), listUsers), { status: 401 });
  t.match(await viewer.call(getApiToken, { params }), { status: 404 });
  t.match(await viewer.call(revokeApiToken, { params }), { status: 404 });
  t.strictSame(await names(viewer), []);
  t.match(await viewer.call(createApiToken, { body: { name: 'mine', role: 'viewer' } }), { status: 201 });
});
