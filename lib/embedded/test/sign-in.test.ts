import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { startIdentityProvider } from '../src/index.ts';
import { approveDevice, formBrowser } from '../src/testing.ts';

type Json = Record<string, string | number>;

/** The development provider and its two ways in: JSON for programs, pages for people. */
async function provider(t: Test) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'weir-idp-'));
  const running = await startIdentityProvider({ dataDir, logFile: path.join(dataDir, 'log') });
  t.teardown(async () => {
    await running.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { issuer } = running;
  const post = async (where: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: 'weir-cli', ...form });
    const answer = await fetch(`${issuer}${where}`, { method: 'POST', body });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
  };
  const device = async () => (await post('/device/auth', { scope: 'openid organization:*' })).body;
  const poll = ({ device_code }: Json) =>
    post('/token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: String(device_code) });
  const renew = (token: unknown) => post('/token', { grant_type: 'refresh_token', refresh_token: String(token) });
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const claims = async (token: unknown) =>
    (await jwtVerify(String(token), keys, { issuer, audience: 'weir-api' })).payload;
  return { issuer, post, device, poll, renew, claims };
}

t.test('a device gets the tokens of whoever said yes to its code, in the claim layout of Keycloak', async (t) => {
  const idp = await provider(t);
  const device = await idp.device();
  t.match(device, { verification_uri: `${idp.issuer}/device`, user_code: /^[A-Z]{4}-[A-Z]{4}$/, interval: 1 });
  t.match(await idp.poll(device), { status: 400, body: { error: 'authorization_pending' } });
  await approveDevice(String(device.verification_uri_complete), 'mia@both');
  const { body } = await idp.poll(device);
  t.match(await idp.claims(body.access_token), {
    sub: 'mia@both',
    azp: 'weir-cli',
    typ: 'Bearer',
    preferred_username: 'mia@both',
    organization: ['demo', 'other'],
    tenant_roles: { demo: ['viewer'], other: ['admin'] },
  });
  t.match(await idp.poll(device), { status: 400, body: { error: 'invalid_grant' } }, 'a device code is good once');
});

t.test('a refresh token is good once, and a second use ends all of the session', async (t) => {
  const idp = await provider(t);
  const device = await idp.device();
  await approveDevice(String(device.verification_uri_complete), 'ed@demo');
  const first = (await idp.poll(device)).body;
  const second = (await idp.renew(first.refresh_token)).body;
  t.match(await idp.claims(second.access_token), { sub: 'ed@demo', realm_access: { roles: ['pipeline_editor'] } });
  t.match(await idp.renew(first.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.match(await idp.renew(second.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('a revoked refresh token is refused from then on', async (t) => {
  const idp = await provider(t);
  const device = await idp.device();
  await approveDevice(String(device.verification_uri_complete), 'eve@demo');
  const { refresh_token } = (await idp.poll(device)).body;
  const gone = { token: String(refresh_token), token_type_hint: 'refresh_token' };
  t.equal((await idp.post('/token/revocation', gone)).status, 200);
  t.match(await idp.renew(refresh_token), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('whoever says no to a code denies it, and a wrong or used code is told so', async (t) => {
  const idp = await provider(t);
  const device = await idp.device();
  const browser = formBrowser();
  const question = await (await browser.open(String(device.verification_uri_complete))).submit({});
  t.match(question.html, String(device.user_code));
  t.match((await question.submit({ abort: 'yes' })).html, /was declined/);
  t.match(await idp.poll(device), { status: 400, body: { error: 'access_denied' } });
  const entry = await browser.open(`${idp.issuer}/device`);
  t.match((await entry.submit({ user_code: 'AAAA-<b>' })).html, /not a code of ours/);
  t.notMatch((await entry.submit({ user_code: 'AAAA-<b>' })).html, '<b>', 'nothing of it is shown again');
});

t.test('every page forbids what is not of this provider, and a stranger gets no further than a page', async (t) => {
  const idp = await provider(t);
  const device = await idp.device();
  const browser = formBrowser();
  const entry = await browser.open(String(device.verification_uri));
  const question = await entry.submit({ user_code: String(device.user_code) });
  const people = await question.submit({ confirm: 'yes' });
  const stranger = await formBrowser().open(people.url);
  const assets = new Set<string>();
  for (const { headers, html, url } of [entry, question, people, stranger]) {
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"])
      t.match(policy, part, new URL(url).pathname);
    for (const [, asset = ''] of html.matchAll(/(?:src|href)="([^"]*)"/g)) {
      t.match(asset, /^\/style\//, 'no asset of elsewhere');
      assets.add(new URL(asset, url).href);
    }
    t.notMatch(html, /<style|style="/, 'nothing inline');
  }
  t.not(assets.size, 0);
  for (const asset of assets) t.equal((await fetch(asset)).status, 200, asset);
  t.equal((await fetch(new URL('/style/..%2fpackage.json', people.url))).status, 404);
  t.equal(stranger.status, 400);
  t.equal((await people.submit({ login: 'nobody' })).status, 400);
  t.match((await people.submit({ login: 'ada@demo' })).html, /Signed in/);
  t.match((await idp.poll(device)).body, { access_token: String });
});

t.test('under another name it answers nothing, whatever leads there', async (t) => {
  const { issuer } = await provider(t);
  const body = new URLSearchParams({ client_id: 'weir-cli', grant_type: 'password', username: 'ada@demo' }).toString();
  const ask = async (host: string) => {
    const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
    const sent = request(`${issuer}/token`, { method: 'POST', headers }).end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  t.equal(await ask(new URL(issuer).host), 200);
  for (const host of ['weir.example', `weir.example:${new URL(issuer).port}`, '127.0.0.1', '127.0.0.1.weir.example'])
    t.equal(await ask(host), 421, host);
});

t.test('cookies of the provider → not signed by anything that it publishes', async (t) => {
  const idp = await provider(t);
  const { keys } = (await (await fetch(`${idp.issuer}/jwks`)).json()) as { keys: { kid: string }[] };
  const page = await fetch(String((await idp.device()).verification_uri_complete), { redirect: 'manual' });
  const cookies = new Map(
    page.headers.getSetCookie().map((line) => (line.split(';')[0] ?? '').split('=') as [string, string]),
  );
  const signed = [...cookies].filter(([name]) => cookies.has(`${name}.sig`));
  t.ok(signed.length > 0, 'there are signed cookies');
  for (const [name, value] of signed) {
    const by = (key: string) => createHmac('sha1', key).update(`${name}=${value}`).digest('base64url');
    for (const { kid } of keys) t.not(cookies.get(`${name}.sig`), by(kid), name);
  }
});

t.test(
  'a person who is added → signs in at once and later, with the role in the organization; the demo stays',
  async (t) => {
    const idp = await provider(t);
    const device = await idp.device();
    const entry = await formBrowser().open(String(device.verification_uri));
    const people = await (await entry.submit({ user_code: String(device.user_code) })).submit({ confirm: 'yes' });
    for (const wrong of [
      { called: 'Zoë', organization: 'a b', role: 'admin' },
      { called: '<b>', organization: 'acme', role: 'admin' },
      { called: 'Zoë', organization: 'acme', role: 'platform_admin' },
      { called: 'Ada', organization: 'demo', role: 'viewer' },
    ]) {
      const refused = await people.submit(wrong);
      t.match(refused, { status: 400, html: /The person was not added/ });
      t.notMatch(refused.html, '<b>');
    }
    t.match((await people.submit({ called: 'Zoë', organization: 'acme', role: 'admin' })).html, /Signed in/);
    const who = {
      organization: ['acme'],
      realm_access: { roles: ['admin'] },
      name: 'Zoë',
      preferred_username: 'zoë@acme',
    };
    t.match(await idp.claims((await idp.poll(device)).body.access_token), who);
    const again = await idp.post('/token', { grant_type: 'password', username: 'zoë@acme' });
    t.match(await idp.claims(again.body.access_token), who);
  },
);
