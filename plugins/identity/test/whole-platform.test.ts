import { bootPlatform, startApi } from '@weir/kernel/boot';
import { call } from '@weir/kernel/contract';
import { listDatasets } from '@weir/plugin-datasets/contract';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { platformFile, type TestPlatform, testPlatform } from '../../../test/platform.ts';
import { until } from '../../../test/until.ts';
import {
  createApiToken,
  createPolicy,
  dryRunPolicy,
  getUser,
  listApiTokens,
  revokeApiToken,
  updatePolicy,
} from '../src/contract.ts';
import { bodyOf } from './kit.ts';

/** Another API process of the same platform, by its address. */
async function another(t: Test, { environment }: TestPlatform): Promise<string> {
  const platform = await bootPlatform({ platformFile, environment, program: 'test', log: pino({ level: 'silent' }) });
  const api = await startApi(platform);
  t.teardown(async () => {
    await api.stop();
    await platform.stop();
  });
  return api.url;
}

const world = await testPlatform(t, t.testdir());

t.test('what one process puts in force, revokes or learns of a person holds in every other', async (t) => {
  const urls = [world.api.url, await another(t, world)];
  const [first = '', second = ''] = urls;
  const admin = { token: await world.token('acme'), tenant: 'acme' };
  const made = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'admin' } }, { url: first, ...admin }));
  const token = String(made.token);
  const statusOf = async (url: string) => (await call(listDatasets, {}, { url, token })).status;
  const everywhere = (status: number) =>
    until(`${status} everywhere`, async () => (await Promise.all(urls.map(statusOf))).every((one) => one === status));
  await everywhere(200);

  const cedar =
    '@id("bots") forbid (principal, action in Action::"datasets:read", resource) when { principal.kind == "api_token" };';
  const document = { cedar };
  const policy = bodyOf(
    await call(
      createPolicy,
      { body: { name: 'p', kind: 'access', document, status: 'active' } },
      { url: first, ...admin },
    ),
  );
  t.equal(await statusOf(first), 403, 'at once where it was put in force');
  await everywhere(403);
  const params = { policy_id: policy.policy_id };
  const body = { document, expected_version: 1, status: 'archived' as const };
  bodyOf(await call(updatePolicy, { params, body }, { url: second, ...admin }));
  t.equal(await statusOf(second), 200);
  await everywhere(200);

  const demoted = await world.issuer.userToken({ subject: 'admin@acme', organizations: ['acme'], roles: [] });
  t.match(await call(listDatasets, {}, { url: first, token: demoted, tenant: 'acme' }), { status: 403 });
  await everywhere(401);
  const promoted = { token: await world.token('acme'), tenant: 'acme' };
  bodyOf(await call(listDatasets, {}, { url: first, ...promoted }));
  await everywhere(200);

  bodyOf(await call(revokeApiToken, { params: { api_token_id: made.api_token_id } }, { url: first, ...admin }));
  t.equal(await statusOf(first), 401, 'at once where it was revoked');
  await everywhere(401);
});

t.test('a token is good for its own tenant alone, and policies judge the routes of all plugins', async (t) => {
  const { url } = world.api;
  const admin = { url, token: await world.token('acme'), tenant: 'acme' };
  const { token } = bodyOf(await call(createApiToken, { body: { name: 'ci', role: 'viewer' } }, admin));
  const bearer = { url, token: String(token) };
  t.match(await call(listApiTokens, {}, { ...bearer, tenant: 'acme' }), { status: 200 });
  t.match(await call(listApiTokens, {}, { ...bearer, tenant: 'other' }), { problem: { code: 'tenant_not_allowed' } });
  const cedar =
    'forbid (principal, action in Action::"sources", resource in Resource::"/sources/00000000-0000-7000-8000-000000000001");';
  const policy = bodyOf(await call(createPolicy, { body: { name: 'q', kind: 'access', document: { cedar } } }, admin));
  const principals = [{ claims: { sub: 'ann', realm_access: { roles: ['pipeline_editor'] } } }];
  const resource = { source_id: '00000000-0000-7000-8000-000000000001' };
  const requests = [
    { action: 'sources.list_streams', resource },
    { action: 'sources.list_streams', resource: { source_id: '00000000-0000-7000-8000-000000000002' } },
    { action: 'sources.list_sources' },
  ];
  const params = { policy_id: policy.policy_id };
  const as = { document: { cedar }, expected_version: 1, status: 'active' as const };
  const found = bodyOf(await call(dryRunPolicy, { params, body: { principals, requests } }, admin));
  const decisions = found.kind === 'access' ? found.results.map(({ decision }) => decision) : [];
  t.strictSame(decisions, ['deny', 'allow', 'allow']);
  t.match(await call(updatePolicy, { params, body: as }, admin), { status: 200 });
});

t.test('a person is shown as the token of their last call tells of them', async (t) => {
  const { url } = world.api;
  const claims = { name: 'Ann Lee', email: 'ann@acme.example', tenant_roles: { acme: ['viewer'], other: ['admin'] } };
  const person = { subject: 'ann', organizations: ['acme', 'other'], roles: ['pipeline_editor'], claims };
  const token = await world.issuer.userToken(person);
  const seen = { sub: 'ann', name: 'Ann Lee', email: 'ann@acme.example' };
  for (const [tenant, roles] of [
    ['acme', ['viewer']],
    ['other', ['admin']],
  ] as const)
    t.match(await call(getUser, { params: { sub: 'ann' } }, { url, token, tenant }), { body: { ...seen, roles } });
  const anonymous = await world.issuer.userToken({ ...person, claims: { name: 7, email: null } });
  t.match(await call(getUser, { params: { sub: 'ann' } }, { url, token: anonymous, tenant: 'acme' }), {
    body: { name: null, email: null, roles: ['pipeline_editor'] },
  });
});
