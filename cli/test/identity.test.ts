import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi, problem, type Routes } from './fake-api.ts';

const ID = '018f4a6e-0000-7000-8000-000000000001';
const NOW = '2026-01-02T03:04:05Z';
const policy = { policy_id: ID, name: 'quiet', kind: 'access', status: 'draft', version: 3, document: { cedar: 'c' } };
const page = (items: object[]) => ({ status: 200, body: { items, next_page_token: null, total: null } });

const start = async (t: Parameters<typeof fakeApi>[0], routes: Routes) => {
  const api = await fakeApi(t, routes);
  const { weir } = commandLine(t);
  return { ...api, weir: (...words: string[]) => weir([...words, '--url', api.url]) };
};

t.test('a token is made, shown with a warning, listed and revoked', async (t) => {
  const token = { api_token_id: ID, name: 'ci', role: 'viewer', expires_at: NOW };
  const { weir, seen } = await start(t, {
    'POST /api/v1/api-tokens': { status: 201, body: { ...token, token: 'weir_a_b' } },
    'GET /api/v1/api-tokens': ({ url }) =>
      page({ none: [], both: [token, token] }[url.searchParams.get('name') ?? ''] ?? [token]),
    [`DELETE /api/v1/api-tokens/${ID}`]: { status: 204 },
  });
  const made = await weir('api-tokens', 'create', '--name', 'ci', '--role', 'viewer', '--query', 'token', '-o', 'yaml');
  t.match(made, { code: 0, stdout: 'weir_a_b\n', stderr: /shown this one time/ });
  t.strictSame(seen[0]?.body, { name: 'ci', role: 'viewer' });
  t.match(await weir('api-tokens', 'list'), { code: 0, stdout: new RegExp(ID) });
  for (const [given, code] of [
    [ID, 0],
    ['ci', 0],
    ['none', 4],
    ['both', 2],
  ] as const)
    t.match(await weir('api-tokens', 'revoke', given, '--yes'), { code }, given);
  t.match(await weir('api-tokens', 'create', '--name', 'ci', '--role', 'owner'), { code: 2 });
});

t.test('policies are named by name, and what is not given of one stays as it is', async (t) => {
  const { weir, seen } = await start(t, {
    'GET /api/v1/identity-policies': ({ url }) => page(url.searchParams.get('name') === 'quiet' ? [policy] : []),
    'POST /api/v1/identity-policies': { status: 201, body: policy },
    [`GET /api/v1/identity-policies/${ID}`]: { status: 200, body: policy },
    [`PUT /api/v1/identity-policies/${ID}`]: { status: 200, body: policy },
    [`POST /api/v1/identity-policies/${ID}/clone`]: { status: 201, body: policy },
    [`DELETE /api/v1/identity-policies/${ID}`]: problem(409, 'policy_in_use'),
  });
  const sent = () => seen.at(-1)?.body;
  const cedar = path.join(t.testdirName, 'a.cedar');
  await writeFile(cedar, 'forbid (principal, action, resource);');
  t.match(await weir('policies', 'create', '--name', 'quiet', '--cedar', cedar), { code: 0 });
  const document = { cedar: 'forbid (principal, action, resource);' };
  t.strictSame(sent(), { name: 'quiet', kind: 'access', document, status: 'draft', allow_lockout: false });
  t.match(await weir('policies', 'activate', 'quiet'), { code: 0 });
  t.strictSame(sent(), { document: policy.document, expected_version: 3, status: 'active', allow_lockout: false });
  t.match(await weir('policies', 'put', ID, '--cedar', cedar, '--expected-version', '2'), { code: 0 });
  t.strictSame(sent(), { document, expected_version: 2, allow_lockout: false });
  t.match(await weir('policies', 'clone', 'quiet', '--name', 'loud'), { code: 0 });
  t.match(await weir('policies', 'delete', 'quiet', '--yes'), { code: 5 });
  t.match(await weir('policies', 'get', 'none'), { code: 4 });
  for (const words of [[], ['--cedar', cedar, '-f', cedar], ['--cedar', `${cedar}.gone`]])
    t.match(await weir('policies', 'create', '--name', 'x', ...words), { code: 2 });
});

t.test('a dry run shows its pairs as a table, and all of it for machines', async (t) => {
  const pair = { principal: 0, request: 0, active_decision: 'allow', decision: 'deny', changed: true };
  const found = { kind: 'access', results: [{ ...pair, reasons: ['quiet/a'], errors: [] }], summary: { pairs: 1 } };
  const { weir, seen } = await start(t, {
    [`POST /api/v1/identity-policies/${ID}/dry-run`]: { status: 200, body: found },
  });
  const trial = path.join(t.testdirName, 'trial.yaml');
  await writeFile(trial, 'principals: [{ sub: ann }]\nrequests: [{ action: sources.list_sources }]');
  t.match(await weir('policies', 'dry-run', ID, '--on', trial, '--version', '2'), { code: 0, stdout: /quiet\/a/ });
  const request = { principals: [{ sub: 'ann' }], requests: [{ action: 'sources.list_sources' }], version: 2 };
  t.strictSame(seen.at(-1)?.body, request);
  t.match(await weir('policies', 'dry-run', ID, '--on', trial, '--query', 'summary.pairs', '-o', 'json'), {
    stdout: '1\n',
  });
});
