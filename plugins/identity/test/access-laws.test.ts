import { authorize } from '@weir/kernel';
import {
  type Endpoint,
  type KnownPrincipal,
  Problem,
  type Role,
  TENANT_ROLES,
  type Tenant,
} from '@weir/kernel/contract';
import fc from 'fast-check';
import t from 'tap';
import { cases } from '../../../test/lane.ts';
import { accessKind } from '../src/access-policy/kind.ts';
import type { TriedPrincipalBody, TriedRequestBody } from '../src/contract.ts';
import * as contract from '../src/contract.ts';
import { policyService } from '../src/policy/service.ts';
import { world } from './kit.ts';

const RUNS = cases(200);
const ID = '018f4a6e-0000-7000-8000-00000000dead';
/** Those of a tenant: who asks only who he is, asks in none, and no policy is held against it. */
const ENDPOINTS = Object.values<unknown>(contract)
  .filter((one): one is Endpoint => typeof one === 'object' && one !== null && 'access' in one && 'path' in one)
  .filter(({ access }) => access.kind !== 'known');
const ACTIONS = ENDPOINTS.map(({ id }) => id);

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values);
const roles = fc.uniqueArray(oneOf(TENANT_ROLES));
const actionHead = fc.oneof(
  fc.constant('action'),
  oneOf(ACTIONS).map((id) => `action == Action::"${id}"`),
  oneOf(['read', 'write', 'users:read', 'policies:write', 'identity']).map((id) => `action in Action::"${id}"`),
  fc
    .uniqueArray(oneOf(ACTIONS), { minLength: 1, maxLength: 4 })
    .map((ids) => `action in [${ids.map((id) => `Action::"${id}"`)}]`),
);
const resourceHead = oneOf([
  'resource',
  'resource in Resource::"/identity-policies"',
  `resource == Resource::"/identity-policies/${ID}"`,
]);
const condition = fc.oneof(
  oneOf(TENANT_ROLES).map((role) => `principal.roles.contains("${role}")`),
  oneOf(['user', 'service', 'api_token']).map((kind) => `principal.kind == "${kind}"`),
  oneOf(['ann', 'bob']).map((sub) => `principal.sub == "${sub}"`),
  fc.constant('principal has email && principal.email like "*@acme.example"'),
  fc.constant('principal.capabilities.isEmpty()'),
  fc.constant('resource.path like "/users*"'),
  fc.constant('principal in User::"ann"'),
  // Overflows for some: a statement that cannot be evaluated.
  fc.constant('9223372036854775807 + (if principal.sub == "bob" then 1 else 0) > 0 && resource.path like "/api*"'),
);
const statement = fc
  .tuple(
    actionHead,
    resourceHead,
    oneOf(['when', 'unless']),
    fc.array(condition, { minLength: 1, maxLength: 3 }),
    oneOf([' && ', ' || ']),
  )
  .map(
    ([action, resource, word, parts, joint]) =>
      `forbid (principal, ${action}, ${resource}) ${word} { ${parts.map((part) => `(${part})`).join(joint)} };`,
  );
const binding = fc.record({
  match: fc.oneof(
    fc.record({ claim: fc.constant('sub'), equals: oneOf(['ann', 'bob']) }),
    fc.record({ claim: fc.constant('roles'), in: fc.uniqueArray(oneOf([...TENANT_ROLES, 'other']), { minLength: 1 }) }),
    fc.record({
      claim: oneOf(['kind', 'client_id', 'email', 'organization']),
      equals: oneOf(['user', 'web', 'a@acme.example', 'acme']),
    }),
  ),
  grant: fc.oneof(
    fc.record({ roles }),
    fc.record({ capabilities: fc.uniqueArray(oneOf(['user:read', 'other'])) }),
    fc.record({ roles, tenants: fc.constant(['acme']) }),
  ),
});
const document = fc.record({
  bindings: fc.array(binding, { maxLength: 2 }),
  cedar: fc.array(statement, { maxLength: 3 }).map((all) => all.join('\n')),
});
const person = fc.record({
  sub: oneOf(['ann', 'bob', 'cyd']),
  azp: oneOf(['web', 'cli']),
  realm_access: fc.record({ roles: fc.uniqueArray(oneOf<Role | 'other'>([...TENANT_ROLES, 'other'])) }),
  organization: oneOf([['acme'], ['other', 'acme']]),
});
const principal = fc.oneof(
  person.map((claims): [TriedPrincipalBody, KnownPrincipal] => [
    { claims },
    {
      ...{ kind: 'user', subject: claims.sub, client: claims.azp, organizations: claims.organization },
      realmRoles: TENANT_ROLES.filter((role) => claims.realm_access.roles.includes(role)),
    },
  ]),
  fc
    .uniqueArray(oneOf(['user:read', 'more']))
    .map((capabilities): [TriedPrincipalBody, KnownPrincipal] => [
      { service: { client_id: 'robot', capabilities } },
      { kind: 'service', subject: 'robot', client: 'robot', tenants: ['acme'], capabilities },
    ]),
);
const request = oneOf(ENDPOINTS).map((endpoint): [TriedRequestBody, Endpoint] => {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, name === 'policy_id' ? ID : '1']);
  return [{ action: endpoint.id, resource: Object.fromEntries(names) }, endpoint];
});

/** What the kernel asks in turn: table and role, then the rule. */
async function answerOf(
  rule: ReturnType<typeof accessKind>['rule'],
  tenant: Tenant,
  [who, [asked, endpoint]]: [KnownPrincipal, [TriedRequestBody, Endpoint]],
): Promise<string | null> {
  const refusal = authorize(endpoint.access, who, tenant);
  if (refusal) return refusal.code;
  const call = { endpoint, principal: who, tenant, params: asked.resource ?? {}, address: '' };
  return rule(call as never).then(
    () => null,
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
}

t.test(
  'a dry run of a document tells what the platform answers once it is in force, and none of them allows anything',
  async (t) => {
    const here = await world(t);
    const tenant = await here.tenant('acme');
    const endpoints = () => ENDPOINTS.map((endpoint) => ({ ...endpoint, plugin: 'identity' }));
    const { kind, rule } = accessKind({ db: here.kernel.db, log: here.kernel.log, endpoints });
    const service = policyService({ db: here.kernel.db, kinds: new Map([['access', kind]]) });
    const admin = {
      kind: 'user',
      subject: 'admin',
      client: 'web',
      organizations: ['acme'],
      realmRoles: ['admin'],
    } as const;
    const first = { cedar: 'forbid (principal, action, resource) when { principal.kind == "delegation" };' };
    const made = await service.create(tenant, admin, {
      name: 'law',
      kind: 'access',
      document: first,
      status: 'active',
    });
    let version = 1;
    let decided = { allow: 0, deny: 0 };
    const signal = new AbortController().signal;
    await fc.assert(
      fc.asyncProperty(
        document,
        fc.array(principal, { minLength: 1, maxLength: 4 }),
        fc.array(request, { minLength: 1, maxLength: 6 }),
        async (doc, whom, what) => {
          const valid = await kind.validate(tenant, doc).catch(() => undefined);
          if (valid === undefined) return;
          const body = {
            principals: whom.map(([tried]) => tried),
            requests: what.map(([tried]) => tried),
            document: doc,
          };
          const told = await service.dryRun(tenant, made.policy_id, { body, signal });
          const put = { document: doc, expected_version: version, status: 'active' as const, allow_lockout: true };
          ({ version } = await service.update(tenant, admin, {
            policyId: made.policy_id,
            ifMatch: undefined,
            body: put,
          }));
          if (told.kind !== 'access') throw new Error('of another kind');
          for (const { principal: p, request: r, code, decision } of told.results) {
            const [, who] = whom[p] as (typeof whom)[number];
            const asked = what[r] as (typeof what)[number];
            const answer = await answerOf(rule, tenant, [who, asked]);
            decided = { ...decided, [decision]: decided[decision] + 1 };
            if (answer !== code || (decision === 'allow') !== (answer === null))
              throw new Error(`told ${code}, answered ${answer} for ${JSON.stringify([who, asked[0]])}`);
          }
        },
      ),
      { numRuns: RUNS },
    );
    t.ok(decided.allow > RUNS / 2 && decided.deny > RUNS / 2, JSON.stringify(decided));
  },
);
