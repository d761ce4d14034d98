import { TENANT_ROLES } from '@weir/kernel/contract';
import t from 'tap';
import { createPolicy, dryRunPolicy, listApiTokens, listPolicies, listUsers, updatePolicy } from '../src/contract.ts';
import { bodyOf, world } from './kit.ts';

t.test('a dry run tells who would gain and who would lose, and stores nothing', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  bodyOf(await here.as('acme', 'viewer').call(listUsers));
  const users =
    '@id("users") forbid (principal, action in Action::"users:read", resource) unless { principal.roles.contains("admin") };';
  const tokens =
    '@id("tokens") forbid (principal, action == Action::"identity.create_api_token", resource) when { principal.kind == "user" };';
  const made = bodyOf(
    await call(createPolicy, { body: { name: 'p', kind: 'access', status: 'active', document: { cedar: users } } }),
  );
  const params = { policy_id: made.policy_id };
  const principals = [
    { sub: 'viewer@acme' },
    { claims: { sub: 'ann', realm_access: { roles: ['admin'] } } },
    { claims: { sub: 'bob', organization: ['other'], realm_access: { roles: ['admin'] } } },
    { service: { client_id: 'robot', capabilities: ['user:read'] } },
  ];
  const requests = [{ action: 'identity.list_users' }, { action: 'identity.create_api_token' }];
  const before = await here.database.peek('select * from identity.policy_version');
  const body = { principals, requests, document: { cedar: tokens } };
  const found = bodyOf(await call(dryRunPolicy, { params, body }));
  t.match(found, { kind: 'access', summary: { pairs: 8, changed: 4, gained: [0, 3], lost: [0, 1] } });
  const pairs = found.kind === 'access' ? found.results : [];
  t.match(pairs[0], { decision: 'allow', active_decision: 'deny', changed: true, code: null, reasons: [] });
  t.match(pairs[1], {
    decision: 'deny',
    active_decision: 'allow',
    code: 'access_policy_forbids',
    reasons: ['p/tokens'],
  });
  t.match(pairs[2], { decision: 'allow', changed: false });
  t.match(pairs[4], { decision: 'deny', changed: false, code: 'tenant_not_allowed', reasons: ['table'] });
  t.strictSame(await here.database.peek('select * from identity.policy_version'), before);
  const asIs = bodyOf(await call(dryRunPolicy, { params, body: { principals, requests } }));
  t.match(asIs, { summary: { changed: 0, gained: [], lost: [] } });
  await call(updatePolicy, { params, body: { document: { cedar: tokens }, expected_version: 1 } });
  const old = bodyOf(await call(dryRunPolicy, { params, body: { principals, requests, version: 1 } }));
  t.match(old, { summary: { changed: 4, gained: [0, 1], lost: [0, 3] } });
});

t.test('what a dry run told is answered over the wire once the document is in force', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const cedar = `forbid (principal, action in Action::"read", resource) when { principal.roles.contains("viewer") };
    forbid (principal, action == Action::"identity.list_policies", resource) unless { principal.roles.contains("admin") };`;
  const made = bodyOf(await call(createPolicy, { body: { name: 'wire', kind: 'access', document: { cedar } } }));
  const principals = TENANT_ROLES.map((role) => ({
    claims: { sub: `${role}@acme`, azp: 'weir-test', organization: ['acme'], realm_access: { roles: [role] } },
  }));
  const lists = [listUsers, listApiTokens, listPolicies];
  const requests = lists.map(({ id: action }) => ({ action }));
  const told = bodyOf(
    await call(dryRunPolicy, { params: { policy_id: made.policy_id }, body: { principals, requests } }),
  );
  const answers = async () => {
    const codes: (string | null)[] = [];
    for (const role of TENANT_ROLES)
      for (const list of lists) {
        const answer = await here.as('acme', role).call(list);
        codes.push(answer.ok ? null : answer.problem.code);
      }
    return codes;
  };
  const pairs = told.kind === 'access' ? told.results : [];
  const before = await answers();
  t.strictSame(
    before.map((code) => (code === null ? 'allow' : 'deny')),
    pairs.map(({ active_decision }) => active_decision),
  );
  const body = { document: { cedar }, expected_version: 1, status: 'active' as const };
  t.match(await call(updatePolicy, { params: { policy_id: made.policy_id }, body }), { status: 200 });
  t.strictSame(
    await answers(),
    pairs.map(({ code }) => code),
  );
});
