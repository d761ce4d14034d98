import { symlink } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';

const tenant = { tenant_id: '01a1fd25-f4e3-708d-b9be-b35dfa1f7ceb', alias: 'acme', scope: 'acme', created_at: '2026' };

t.test('tenants create → made by the API, and what is next; a refusal of the API is said', async (t) => {
  const api = await fakeApi(t, {
    'POST /api/v1/tenants': ({ body }) =>
      (body as { alias: string }).alias === 'acme'
        ? { status: 201, body: tenant }
        : problem(409, 'tenant_alias_taken', { hint: 'Take another alias.' }),
  });
  const { weir } = commandLine(t);
  t.match(await weir(`tenants create acme --url ${api.url}`), {
    code: 0,
    stdout: /alias +acme\nscope +acme/,
    stderr: /next: put people into the organization acme/,
  });
  t.strictSame(
    api.seen.map(({ call, body }) => ({ call, body })),
    [{ call: 'POST /api/v1/tenants', body: { alias: 'acme' } }],
  );
  const taken = await weir(`tenants create other --url ${api.url}`);
  t.match(taken, { stdout: '', stderr: /tenant_alias_taken[\s\S]*hint: Take another alias/ });
  t.not(taken.code, 0);
});

t.test('tenants create --as-owner, without a database → fails with what to set, and asks no API', async (t) => {
  const { weir, home, root } = commandLine(t);
  await symlink(path.resolve(import.meta.dirname, '../..'), root);
  const env = { WEIR_URL: 'http://127.0.0.1:1', WEIR_DB_OWNER_PASSWORD_FILE: path.join(home, 'absent') };
  t.match(await weir('tenants create acme --as-owner', { env }), {
    code: 1,
    stdout: '',
    stderr: /hint: Check DB_HOST/,
  });
});

t.test('tenants list --all → every page of what the API lists', async (t) => {
  const api = await fakeApi(t, {
    'GET /api/v1/tenants': ({ url }) => {
      const last = url.searchParams.get('page_token') === 'next';
      const items = [last ? { ...tenant, alias: 'zulu' } : tenant];
      return { status: 200, body: { items, total: null, next_page_token: last ? null : 'next' } };
    },
  });
  const { weir } = commandLine(t);
  const listed = await weir(`tenants list --all -o json --url ${api.url}`);
  const { items } = JSON.parse(listed.stdout) as { items: { alias: string }[] };
  t.strictSame(
    items.map(({ alias }) => alias),
    ['acme', 'zulu'],
  );
});
