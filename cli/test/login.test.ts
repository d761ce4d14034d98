import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startIdentityProvider } from '@weir/embedded';
import { approveDevice } from '@weir/embedded/testing';
import t, { type Test } from 'tap';
import { HASTY_MS } from '../../test/until.ts';
import type { Profiles } from '../src/connection/profiles.ts';
import { commandLine } from './command-line.ts';
import { fakeApi, problem } from './fake-api.ts';
import { ADA, fakeProvider, signInDocument, tokenOf } from './fake-provider.ts';

const SOURCES = { 'GET /api/v1/sources': { status: 200, body: { items: [], next_page_token: null, total: 0 } } };

/** A command line, an API, and the profiles as they are on disk. */
async function world(t: Test, issuer: string, more: object = {}) {
  const line = commandLine(t);
  const api = await fakeApi(t, { ...SOURCES, 'GET /openapi.json': signInDocument(issuer), ...more });
  const file = path.join(line.home, 'config', 'weir', 'profiles.json');
  const stored = () => JSON.parse(readFileSync(file, 'utf8')) as Profiles;
  const asked = () => api.seen.filter(({ call }) => call !== 'GET /openapi.json');
  return { ...line, api, file, stored, asked };
}

t.test('who signs in at the development provider is signed in: whoami, tenants, calls, and out again', async (t) => {
  const dataDir = t.testdir({});
  const idp = await startIdentityProvider({ dataDir, logFile: path.join(dataDir, 'log') });
  t.teardown(idp.stop);
  const { weir, api, file, stored, asked } = await world(t, idp.issuer);
  let approving: Promise<void> | undefined;
  const said = (text: string) => {
    const address = /Open\s+(\S+)/.exec(text)?.[1];
    if (address !== undefined) approving = approveDevice(address, 'mia@both');
  };
  const login = await weir(`login --url ${api.url} --profile work -o json`, { said });
  await approving;
  t.equal(login.code, 0, login.stderr);
  t.match(JSON.parse(login.stdout), { profile: 'work', subject: 'mia@both', tenants: ['demo', 'other'] });
  t.match(login.stderr, /Code {3}[A-Z]{4}-[A-Z]{4}\n/);
  t.match(login.stderr, /tenants use <alias>/);
  const { access_token: token = '', refresh_token: refresh = '' } = stored().profiles.work?.session ?? {};
  for (const secret of [token, refresh]) {
    t.ok(secret.length > 20);
    t.notOk((login.stdout + login.stderr).includes(secret), 'no token is printed');
  }
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);

  t.strictSame(JSON.parse((await weir('tenants list -o json')).stdout).items, [
    { alias: 'demo', roles: 'viewer', used: false },
    { alias: 'other', roles: 'admin', used: false },
  ]);
  t.match(await weir('tenants use acme'), { code: 3, stderr: /does not name this tenant/ });
  t.equal((await weir('tenants use other')).code, 0);
  t.equal((await weir('sources list')).code, 0);
  t.match(asked().at(-1)?.headers, { authorization: `Bearer ${token}`, 'x-tenant-id': 'other' });
  t.match(JSON.parse((await weir('whoami -o json')).stdout), {
    subject: 'mia@both',
    roles: ['admin'],
    tenant: 'other',
    token_from: 'profile',
    renewed: true,
  });

  t.match(await weir('logout'), { code: 0, stderr: /signed out of the profile work/ });
  t.strictSame(stored().profiles.work, { url: api.url, tenant: 'other' });
  t.match(await weir('whoami'), { code: 3, stderr: /weir login/ });
  const body = new URLSearchParams({ client_id: 'weir-cli', grant_type: 'refresh_token', refresh_token: refresh });
  t.equal((await fetch(`${idp.issuer}/token`, { method: 'POST', body })).status, 400, 'over at the provider too');
});

t.test(
  'the profile is the one asked for, that of the server, or one named as its host, and is current then',
  async (t) => {
    const idp = await fakeProvider(t);
    const { weir, api, stored } = await world(t, idp.issuer);
    const other = await fakeApi(t, { 'GET /openapi.json': signInDocument(idp.issuer) });
    t.match(await weir(`login --url ${api.url}`), { code: 0 });
    const { host } = new URL(api.url);
    t.match(stored(), { current: host, profiles: { [host]: { url: api.url, tenant: 'acme' } } });
    t.match(await weir(`login --url ${other.url} --profile work`), { code: 0 });
    t.match(stored(), { current: 'work', profiles: { [host]: { url: api.url }, work: { url: other.url } } });
    t.match(await weir('login -q'), { code: 0, stderr: /Code {3}ABCD-EFGH/ });
    t.strictSame(Object.keys(stored().profiles), [host, 'work']);
    t.match(await weir(`login --url ${api.url} --profile ../x`), { code: 2 });
    t.match(await weir('sources list --profile nobody'), { code: 2, stderr: /login --profile nobody/ });
    t.match(idp.seen.find(({ call }) => call === 'device')?.form.get('scope'), 'organization:*');
  },
);

t.test('a token that ends is renewed before it is used, and one that the API refuses once after', async (t) => {
  const idp = await fakeProvider(t, { token: (_form, nth) => ({ json: tokens(nth, nth === 1 ? 5 : 300) }) });
  let refuse = '';
  const { weir, api, stored, asked } = await world(t, idp.issuer, {
    'GET /api/v1/sources': () => (refuse === '' ? SOURCES['GET /api/v1/sources'] : problem(401, 'unauthenticated')),
  });
  await weir(`login --url ${api.url}`);
  t.equal((await weir('sources list')).code, 0);
  const used = (nth: number) => `Bearer ${tokens(nth, 0).access_token}`;
  t.equal(asked().at(-1)?.headers.authorization, used(2));
  t.equal(Object.values(stored().profiles)[0]?.session?.refresh_token, 'refresh-2');
  refuse = 'always';
  t.match(await weir('sources list'), { code: 3, stderr: /hint: weir login signs in/ });
  t.strictSame(
    asked()
      .slice(-2)
      .map(({ headers }) => headers.authorization),
    [used(2), used(3)],
    'once more with a new token, and no more than that',
  );
});

const tokens = (nth: number, expires_in: number) => ({
  access_token: tokenOf({ ...ADA, nth }),
  refresh_token: `refresh-${nth}`,
  token_type: 'Bearer',
  expires_in,
});

t.test('WEIR_TOKEN goes before a session, which is neither used nor renewed then', async (t) => {
  const idp = await fakeProvider(t, { token: (_form, nth) => ({ json: tokens(nth, 1) }) });
  const { weir, api, asked } = await world(t, idp.issuer);
  await weir(`login --url ${api.url}`);
  const before = idp.seen.length;
  const env = {
    WEIR_TOKEN: tokenOf({ sub: 'ci', realm_access: { roles: ['viewer', 'odd'] }, organization: { acme: {} } }),
  };
  t.equal((await weir('sources list', { env })).code, 0);
  t.equal(asked().at(-1)?.headers.authorization, `Bearer ${env.WEIR_TOKEN}`);
  t.match(JSON.parse((await weir('whoami -o json', { env })).stdout), {
    subject: 'ci',
    roles: ['viewer'],
    tenants: ['acme'],
    token_from: 'WEIR_TOKEN or WEIR_TOKEN_FILE',
    renewed: false,
  });
  t.equal(idp.seen.length, before);
});

t.test('a session goes to the server of its profile alone, its refresh token to its provider alone', async (t) => {
  const idp = await fakeProvider(t, { token: (_form, nth) => ({ json: tokens(nth, 1) }) });
  const stranger = await fakeProvider(t);
  const { weir, api, stored } = await world(t, idp.issuer);
  const other = await fakeApi(t, { ...SOURCES, 'GET /openapi.json': signInDocument(stranger.issuer) });
  await weir(`login --url ${api.url}`);
  t.equal((await weir(`sources list --url ${other.url}`)).code, 0);
  t.notOk(other.seen.some(({ headers }) => headers.authorization));
  const asked = idp.seen.length;
  await weir(`login --url ${other.url}`);
  t.equal(idp.seen.length, asked, 'the other provider alone was asked');
  t.notOk(stranger.seen.some(({ form }) => form.get('grant_type') === 'refresh_token'));
  t.equal(Object.keys(stored().profiles).length, 2);
});

t.test('a server that weir.yaml alone names gets no session before somebody has named it', async (t) => {
  const idp = await fakeProvider(t);
  const { weir, api, home, asked } = await world(t, idp.issuer);
  writeFileSync(path.join(home, 'weir.yaml'), `url: ${api.url}\n`);
  t.match(await weir('login'), { code: 2, stderr: /never signed in[\s\S]*weir login --url/ });
  t.equal(idp.seen.length, 0);
  t.match(await weir(`login --url ${api.url}`), { code: 0, stderr: `Sign in to ${new URL(api.url).host}` });
  t.match(await weir('login'), { code: 0 }, 'it is known from then on');
  t.equal(asked().length, 0);
});

t.test(
  'whose an API token is, its tenant and its roles the API tells, as a token says nothing of itself',
  async (t) => {
    const nobody = { kind: 'api_token', subject: 'ada', client: 'api-token:1', name: null, email: null };
    const me = {
      ...{ ...nobody, all_tenants: false, platform_admin: false, capabilities: null, api_token_id: null },
      ...{ tenants: [{ alias: 'acme', roles: ['viewer'] }], expires_at: '2026-01-02T03:04:05.000Z' },
    };
    const more = { 'GET /api/v1/me': { status: 200, body: me } };
    const { weir, api, stored } = await world(t, 'http://127.0.0.1:1', more);
    const env = { WEIR_TOKEN: 'weir_x_y', WEIR_URL: api.url };
    t.strictSame(JSON.parse((await weir('whoami -o json', { env })).stdout), {
      ...{ url: api.url, token_from: 'WEIR_TOKEN or WEIR_TOKEN_FILE', kind: 'api_token', subject: 'ada' },
      ...{ client: 'api-token:1', tenant: 'acme', roles: ['viewer'], tenants: ['acme'] },
      ...{ expires_at: '2026-01-02T03:04:05.000Z', renewed: false },
    });
    t.strictSame(JSON.parse((await weir('tenants list -o json', { env })).stdout).items, [
      { alias: 'acme', roles: 'viewer', used: true },
    ]);
    t.match(await weir('tenants use other', { env }), { code: 3, stderr: /does not name this tenant/ });
    const refused = { ...more, 'GET /api/v1/me': problem(401, 'token_maker_unseen', { hint: 'Its maker signs in.' }) };
    const other = await world(t, 'http://127.0.0.1:1', refused);
    const late = await other.weir('whoami', { env: { ...env, WEIR_URL: other.api.url } });
    t.match(late, { code: 3, stderr: /Its maker signs in/ });
    t.throws(stored, { code: 'ENOENT' });
  },
);

t.test('login gives up after --timeout, and keeps nothing', async (t) => {
  const interrupt = new AbortController();
  let isInterrupted = false;
  const idp = await fakeProvider(t, {
    async token() {
      if (isInterrupted) interrupt.abort();
      return { status: 400, json: { error: 'authorization_pending' } };
    },
  });
  const { weir, api, stored } = await world(t, idp.issuer);
  const ran = await weir(`login --url ${api.url} --timeout ${HASTY_MS}ms`);
  t.match(ran, { code: 124, stderr: /within --timeout[\s\S]*weir login/ });
  t.match(await weir(`login --url ${api.url} --timeout soon`), { code: 2 });
  isInterrupted = true;
  t.match(await weir(`login --url ${api.url} --timeout 1h`, { interrupted: interrupt.signal }), { code: 130 });
  t.throws(stored, { code: 'ENOENT' });
});
