import type { Output } from '@weir/kernel/contract';
import t from 'tap';
import {
  clonePolicy,
  createPolicy,
  deletePolicy,
  getPolicy,
  getPolicyVersion,
  listPolicies,
  listPolicyVersions,
  updatePolicy,
} from '../src/contract.ts';
import { DOCUMENT } from './entity-kit.ts';
import { bodyOf, world } from './kit.ts';

const cedar = (role: string) =>
  `forbid (principal, action == Action::"identity.list_users", resource) when { principal.roles.contains("${role}") };`;
const document = (role: string) => ({ cedar: cedar(role) });

t.test('a policy has immutable versions: another document is the next one, the same is none', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const made = bodyOf(
    await call(createPolicy, { body: { name: 'quiet', kind: 'access', document: document('viewer'), note: 'first' } }),
  );
  t.match(made, {
    name: 'quiet',
    kind: 'access',
    status: 'draft',
    version: 1,
    note: 'first',
    created_by: 'admin@acme',
  });
  t.strictSame(made.document, { bindings: [], cedar: cedar('viewer'), schema: 'weir.access/1' });
  const params = { policy_id: made.policy_id };
  const put = (body: object) =>
    call(updatePolicy, { params, body: { document: document('viewer'), ...body } as never });
  const same = bodyOf(await put({ expected_version: 1 }));
  t.strictSame(same, made, 'nothing changed');
  const archived = bodyOf(await put({ expected_version: 1, status: 'archived' }));
  t.match(archived, { version: 1, status: 'archived', digest: made.digest });
  t.not(archived.etag, made.etag);
  const next = bodyOf(await put({ document: document('admin'), expected_version: 1, note: 'second' }));
  t.match(next, { version: 2, status: 'archived', note: 'second' });
  t.not(next.digest, made.digest);
  for (const expected_version of [1, 3])
    t.match(await put({ expected_version }), { status: 409, problem: { code: 'conflict' } });
  const stale = await call(
    updatePolicy,
    { params, body: { document: document('viewer'), expected_version: 2 } },
    { 'if-match': `"${made.etag}"` },
  );
  t.match(stale, { status: 412 });
  const versions = bodyOf(await call(listPolicyVersions, { params }));
  t.strictSame(
    versions.items.map(({ version, note }) => [version, note]),
    [
      [2, 'second'],
      [1, 'first'],
    ],
  );
  const page = bodyOf(await call(listPolicyVersions, { params, query: { limit: 1 } }));
  const rest = bodyOf(
    await call(listPolicyVersions, { params, query: { limit: 1, page_token: page.next_page_token ?? '' } }),
  );
  t.strictSame([...page.items, ...rest.items], versions.items);
  const first = bodyOf(await call(getPolicyVersion, { params: { ...params, version: 1 } }));
  t.match(first, { version: 1, document: made.document, digest: made.digest });
  t.match(await call(getPolicyVersion, { params: { ...params, version: 3 } }), { status: 404 });
  const { version: v } = bodyOf(await call(getPolicy, { params }));
  t.equal(v, 2);
  await t.rejects(here.database.peek('set role weir_app; update identity.policy_version set digest = $1', ['x']));
});

t.test('clones say where they are from and are drafts of the same tenant; names are taken once', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const { call } = here.as('acme');
  const made = bodyOf(
    await call(createPolicy, { body: { name: 'one', kind: 'access', document: document('viewer') } }),
  );
  const params = { policy_id: made.policy_id };
  await call(updatePolicy, { params, body: { document: document('admin'), expected_version: 1 } });
  const clone = bodyOf(await call(clonePolicy, { params, body: { name: 'two', version: 1, tenant: 'acme' } }));
  t.match(clone, { name: 'two', version: 1, status: 'draft', cloned_from: { policy_id: made.policy_id, version: 1 } });
  t.equal(clone.digest, made.digest);
  t.match(await call(clonePolicy, { params, body: { name: 'three', version: 9 } }), { status: 404 });
  for (const tenant of ['other', 'nobody'])
    t.match(await call(clonePolicy, { params, body: { name: 'three', tenant } }), {
      problem: { code: 'tenant_not_allowed' },
    });
  for (const answer of [
    await call(clonePolicy, { params, body: { name: 'one' } }),
    await call(createPolicy, { body: { name: 'two', kind: 'access', document: document('viewer') } }),
  ])
    t.match(answer, { status: 409, problem: { code: 'policy_name_taken' } });
  const names = async (query: object) =>
    bodyOf<typeof listPolicies>(await call(listPolicies, { query: query as never })).items.map(
      ({ name }: { name: string }) => name,
    );
  t.strictSame(await names({ order: 'name' }), ['one', 'two']);
  t.strictSame(await names({ name: 'two' }), ['two']);
  t.strictSame(await names({ status: 'active' }), []);
  const foreign = here.as('other').call;
  const absent = { policy_id: '018f4a6e-0000-7000-8000-00000000dead' };
  const text = async (answer: Awaited<ReturnType<typeof foreign>>) =>
    JSON.stringify(answer).replaceAll(/"trace_id":"[0-9a-f]+"/g, '');
  for (const endpoint of [getPolicy, deletePolicy, listPolicyVersions])
    t.equal(
      await text(await foreign(endpoint, { params } as never)),
      await text(await foreign(endpoint, { params: absent } as never)),
    );
  t.strictSame(bodyOf<typeof listPolicies>(await foreign(listPolicies)).items, []);
});

t.test('what is in force is deleted only when another takes its place or after it was archived', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const made = async (name: string): Promise<Output<typeof createPolicy>> =>
    bodyOf(
      await call(createPolicy, { body: { name, kind: 'access', status: 'active', document: document('viewer') } }),
    );
  const one = await made('one');
  const remove = (policy_id: string) => call(deletePolicy, { params: { policy_id } });
  t.match(await remove(one.policy_id), { status: 409, problem: { code: 'policy_in_use' } });
  const two = await made('two');
  t.match(await remove(one.policy_id), { status: 204 });
  t.match(await remove(one.policy_id), { status: 404 });
  t.match(await remove(two.policy_id), { status: 409 });
  const params = { policy_id: two.policy_id };
  await call(updatePolicy, { params, body: { document: document('viewer'), expected_version: 1, status: 'archived' } });
  t.match(await remove(two.policy_id), { status: 204 });
  t.match(await made('one'), { name: 'one' });
});

t.test('viewers see no policies, editors read them, admins write them', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const body = { name: 'one', kind: 'access' as const, document: document('viewer') };
  const { policy_id } = bodyOf(await here.as('acme').call(createPolicy, { body }));
  const [viewer, editor] = [here.as('acme', 'viewer').call, here.as('acme', 'pipeline_editor').call];
  t.match(await viewer(listPolicies), { status: 403, problem: { code: 'forbidden_role' } });
  t.match(await editor(getPolicy, { params: { policy_id } }), { status: 200 });
  t.match(await editor(deletePolicy, { params: { policy_id } }), { status: 403 });
  t.match(await editor(createPolicy, { body }), { status: 403 });
});

t.test('one policy in force says which records of an entity type are one', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  await here.tenant('other');
  const make = (name: string, entity_type: string, status: 'draft' | 'active', tenant = 'acme') =>
    here.as(tenant).call(createPolicy, {
      body: { name, kind: 'entity_resolution', document: { ...DOCUMENT, entity_type } as never, status },
    });
  const first = bodyOf(await make('first', 'Person', 'active'));
  const taken = { status: 409, problem: { code: 'resolution_taken' } };
  t.match(await make('second', 'Person', 'active'), taken);
  t.match(await make('places', 'Place', 'active'), { status: 201 });
  t.match(await make('first', 'Person', 'active', 'other'), { status: 201 }, 'another tenant');
  const second = bodyOf(await make('second', 'Person', 'draft'));
  const put = ({ policy_id, version, document }: typeof first, status: 'active' | 'archived') =>
    here.as('acme').call(updatePolicy, {
      params: { policy_id },
      body: { document: document as never, expected_version: version, status },
    });
  t.match(await put(second, 'active'), taken);
  t.match(await put(first, 'active'), { status: 200 }, 'the same policy');
  t.match(await put(first, 'archived'), { status: 200 });
  t.match(await put(second, 'active'), { status: 200 });
  t.match(await put(first, 'active'), taken);
});

t.test('a tenant keeps at most 500 policies, whatever their status', async (t) => {
  const here = await world(t);
  const { tenantId } = await here.tenant('acme');
  const { call } = here.as('acme');
  const make = (name: string) => call(createPolicy, { body: { name, kind: 'access', document: document('viewer') } });
  const { policy_id } = bodyOf(await make('last'));
  await here.database.peek(
    `insert into identity.policy (tenant_id, policy_id, name, kind, status, version)
     select $1, gen_random_uuid(), 'p' || n, 'access', 'draft', 1 from generate_series(1, 499) n`,
    [tenantId],
  );
  const full = { status: 409, problem: { code: 'too_many_policies', detail: /500/ } };
  t.match(await make('more'), full);
  t.match(await call(clonePolicy, { params: { policy_id }, body: { name: 'more' } }), full);
  await here.database.peek("update identity.policy set deleted_at = now() where name = 'p1'");
  t.match(await make('more'), { status: 201 });
});
