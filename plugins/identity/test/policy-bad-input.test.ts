import t from 'tap';
import { createPolicy, deletePolicy, dryRunPolicy, listPolicies, updatePolicy } from '../src/contract.ts';
import { bodyOf, world } from './kit.ts';

const CANARY = 'CNRY7';
const nested = (n: number) => `forbid (principal, action, resource) when { ${'('.repeat(n)}true${')'.repeat(n)} };`;
const chained = (n: number) => `forbid (principal, action, resource) when { 0 < ${'1+'.repeat(n)}1 };`;

t.test('texts that are no policy are refused with line and column, and without an echo', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const cases: [string, string, number?, number?][] = [
    ['forbid (principal, action, resource', 'syntax', 1],
    [`forbid (principal, action, resource);\n  forbid ${CANARY} (principal, action, resource);`, 'syntax', 2, 10],
    [`forbid (principal, action == Action::"${CANARY}", resource);`, 'unknown_action', 1],
    [`// ${CANARY}é\nforbid (principal is ${CANARY}, action, resource);`, 'unknown_type', 2, 22],
    [`forbid (principal, action, resource) when { principal.${CANARY} == "x" };`, 'unknown_attribute', 1],
    ['forbid (principal, action, resource) when { principal.email == "x" };', 'unknown_attribute', 1],
    [`forbid (principal, action, resource) when { principal.roles == "${CANARY}" };`, 'type', 1],
    ['forbid (principal, action, resource) when { principal.kind == "user" && false };', 'impossible', 1],
    ['permit (principal, action, resource);', 'permit_without_effect', 1, 1],
    ['forbid (principal, action, resource);\npermit (principal, action, resource);', 'permit_without_effect', 2, 1],
    ['forbid (principal == ?principal, action, resource);', 'template'],
    [
      '@id("a") forbid (principal, action, resource);\n@id("a") forbid (principal, action, resource);',
      'statement_id',
      2,
      1,
    ],
    ['forbid (principal, action, resource);'.repeat(51), 'too_many_statements'],
    [nested(25), 'too_deep', 1],
    [nested(7_000), 'too_deep'],
    [chained(7_000), 'too_deep'],
    [chained(200), 'too_deep'],
    [`forbid (principal, action, resource) when { ${'if true then true else '.repeat(600)}true };`, 'too_deep'],
  ];
  for (const [cedar, code, line, column] of cases) {
    const answer = await call(createPolicy, { body: { name: 'bad', kind: 'access', document: { cedar } } });
    const position = { code, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
    const problem = { code: 'policy_invalid', errors: [{ pointer: '/document/cedar', code }], positions: [position] };
    t.match(answer, { status: 422, problem }, cedar.slice(0, 90));
    t.notMatch(JSON.stringify(answer), CANARY);
  }
  const good = { cedar: 'forbid (principal, action, resource) when { principal.kind == "service" };' };
  t.match(await call(createPolicy, { body: { name: 'good', kind: 'access', document: good } }), { status: 201 });
});

t.test('documents of another shape are refused with the place and the rule', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const binding = { match: { claim: 'sub', equals: 'ann' }, grant: { roles: ['viewer'] } };
  const cases: [object, string, string][] = [
    [{}, '/document', 'no_effect'],
    [{ bindings: [], cedar: '' }, '/document', 'no_effect'],
    [{ bindings: [{ ...binding, grant: { tenants: ['acme'] } }] }, '/document', 'no_effect'],
    [{ cedar: 'x'.repeat(200_000) }, '/document/cedar', 'maxLength'],
    [{ bindings: Array(5_000).fill(binding) }, '/document/bindings', 'maxItems'],
    [{ bindings: [{ ...binding, grant: {} }] }, '/document/bindings/0/grant', 'minProperties'],
    [
      { bindings: [{ ...binding, grant: { roles: ['platform_admin'] } }] },
      '/document/bindings/0/grant/roles/0',
      'enum',
    ],
    [
      { bindings: [{ ...binding, grant: { roles: ['viewer'], tenants: ['other'] } }] },
      '/document/bindings/0/grant/tenants',
      'foreign_tenant',
    ],
    [{ bindings: [{ ...binding, script: '1' }] }, '/document/bindings/0', 'additionalProperties'],
    [{ cedar: 1 }, '/document/cedar', 'type'],
    [{ schema: 'other' }, '/document/schema', 'const'],
  ];
  for (const [document, pointer, code] of cases) {
    const answer = await call(createPolicy, { body: { name: 'bad', kind: 'access', document: document as never } });
    t.match(
      answer,
      { status: 422, problem: { code: 'policy_invalid', errors: [{ pointer, code }] } },
      `${pointer} ${code}`,
    );
  }
  for (const body of [
    { name: 'Bad Name', kind: 'access', document: {} },
    { name: 'x', kind: 'other', document: {} },
    { name: 'x', kind: 'access', document: [] },
    { name: 'x', kind: 'access', document: {}, tenant: 'other' },
    { name: 'x', kind: 'access', document: {}, status: 'archived' },
    { name: 'x', kind: 'access', document: {}, note: 'a\0b' },
    { name: 'x', kind: 'access', document: { bindings: [{ match: { claim: 'sub', equals: 'a\ud800b' } }] } },
    { name: 'x', kind: 'access', document: {}, version: 1 },
  ])
    t.match(await call(createPolicy, { body: body as never }), { status: 400 }, JSON.stringify(body));
  const huge = { bindings: Array(10_000).fill(binding) };
  t.match(await call(createPolicy, { body: { name: 'x', kind: 'access', document: huge } }), { status: 413 });
  t.strictSame(bodyOf<typeof listPolicies>(await call(listPolicies)).items, []);
  for (const policy_id of ['x', "a'b", '018f4a6e-0000-7000-8000-00000000dead']) {
    const status = /^40[04]$/;
    t.match(await call(deletePolicy, { params: { policy_id } }), { status });
    t.match(await call(updatePolicy, { params: { policy_id }, body: { document: {}, expected_version: 1 } }), {
      status,
    });
  }
});

t.test('a dry run that cannot be is refused with the place and the rule', async (t) => {
  const here = await world(t);
  await here.tenant('acme');
  const { call } = here.as('acme');
  const document = { cedar: 'forbid (principal, action, resource) when { principal.kind == "service" };' };
  const { policy_id } = bodyOf(await call(createPolicy, { body: { name: 'one', kind: 'access', document } }));
  const ann = { claims: { sub: 'ann' } };
  const list = { action: 'identity.list_users' };
  const cases: [object, number, string, string][] = [
    [{}, 422, '/principals', 'required'],
    [{ principals: [ann] }, 422, '/requests', 'required'],
    [{ principals: [{ sub: 'nobody' }], requests: [list] }, 422, '/principals/0/sub', 'unknown'],
    [{ principals: [ann], requests: [{ action: 'no.action' }] }, 422, '/requests/0/action', 'unknown'],
    [
      { principals: [ann], requests: [{ action: 'identity.get_policy' }] },
      422,
      '/requests/0/resource/policy_id',
      'required',
    ],
    [
      { principals: [ann], requests: [{ ...list, resource: { x: 'y' } }] },
      422,
      '/requests/0/resource',
      'unknown_parameter',
    ],
    [{ principals: Array(50).fill(ann), requests: Array(100).fill(list) }, 422, '/requests', 'too_many_pairs'],
    [{ principals: Array(51).fill(ann), requests: [list] }, 400, '/principals', 'maxItems'],
    [{ principals: [ann], requests: [list], version: 1, document }, 400, '/version', 'version_or_document'],
    [{ principals: [ann], requests: [list], document: { cedar: 'no' } }, 422, '/document/cedar', 'syntax'],
  ];
  for (const [body, status, pointer, code] of cases)
    t.match(
      await call(dryRunPolicy, { params: { policy_id }, body: body as never }),
      { status, problem: { errors: [{ pointer, code }] } },
      `${pointer} ${code}`,
    );
  const missing = { principals: [ann], requests: [list], version: 2 };
  t.match(await call(dryRunPolicy, { params: { policy_id }, body: missing }), { status: 404 });
});
