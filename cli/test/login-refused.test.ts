import t, { type Test } from 'tap';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { type Answers, fakeProvider, type Said, signInDocument } from './fake-provider.ts';

const HUGE = ' '.repeat(300_000);
const CANARY = 'canary-of-the-provider';

/** Signs in at a provider that answers so; what it says must never be shown. */
async function login(t: Test, answers: Answers, more: object = {}) {
  const idp = await fakeProvider(t, answers);
  const line = commandLine(t);
  const api = await fakeApi(t, { 'GET /openapi.json': signInDocument(idp.issuer, more) });
  const ran = await line.weir(`login --url ${api.url}`);
  t.notMatch(ran.stdout + ran.stderr, CANARY);
  return { ...ran, idp };
}

const answered = (said: Said): Answers[] => [{ discovery: said }, { device: said }, { token: said }];
const nameOf = (answers: Answers) => Object.keys(answers).join();

t.test('a provider that answers what it must not is told from one that does not answer, at every step', async (t) => {
  const wrong: [string, Said, RegExp][] = [
    ['a page', { text: `<html>${CANARY}</html>`, type: 'text/html' }, /no answer of OpenID Connect/],
    ['no JSON', { text: `{${CANARY}`, type: 'application/json' }, /no answer of OpenID Connect/],
    ['another place', { status: 302, headers: { location: `http://127.0.0.1/${CANARY}` } }, /it redirects/],
    ['too much', { text: HUGE, type: 'application/json' }, /answers too much/],
    ['status 404', { status: 404, text: CANARY }, /status 404/],
  ];
  for (const [what, said, why] of wrong) {
    for (const answers of answered(said)) {
      const ran = await login(t, answers);
      t.match(ran, { code: 1, stderr: why }, `${what} at ${nameOf(answers)}`);
      t.match(ran.stderr, /code: provider_invalid/);
    }
  }
  for (const said of [{ status: 503, text: CANARY }, { cut: true }]) {
    for (const answers of [{ discovery: said }, { device: said }] as Answers[])
      t.match(await login(t, answers), { code: 69, stderr: /code: provider_unavailable/ }, nameOf(answers));
  }
});

t.test('an issuer that is not the announced one, byte by byte, is refused', async (t) => {
  const of = (issuer: string): Answers => ({
    discovery: {
      json: { issuer, token_endpoint: `${issuer}/token`, device_authorization_endpoint: `${issuer}/device` },
    },
  });
  t.match(await login(t, of('https://other.example')), { code: 1, stderr: /it names another issuer/ });
  const idp = await fakeProvider(t);
  idp.answers.discovery = of(`${idp.issuer}/`).discovery as Said;
  const api = await fakeApi(t, { 'GET /openapi.json': signInDocument(idp.issuer) });
  t.match(await commandLine(t).weir(`login --url ${api.url}`), { code: 1, stderr: /it names another issuer/ });
});

t.test('addresses without https are refused: of the provider, of its endpoints, and for the browser', async (t) => {
  const insecure = 'http://weir.example';
  t.match(await login(t, {}, { issuer: insecure }), { code: 1, stderr: /without https/ });
  const json = { device_code: 'd', user_code: 'AAAA', verification_uri: 'https://a.example', expires_in: 60 };
  for (const odd of [
    { verification_uri: insecure },
    { verification_uri: 'javascript:alert(1)' },
    { verification_uri_complete: 'file:///etc/passwd' },
    { user_code: 'A\u001b[2J' },
    { user_code: 'A'.repeat(65) },
    { expires_in: 1e9 },
    { interval: 1e9 },
  ])
    t.match(
      await login(t, { device: { json: { ...json, ...odd } } }),
      { code: 1, stderr: /no use/ },
      Object.keys(odd).join(),
    );
  const idp = await fakeProvider(t);
  const { issuer } = idp;
  idp.answers.discovery = {
    json: { issuer, token_endpoint: `${issuer}/token`, device_authorization_endpoint: insecure },
  };
  const api = await fakeApi(t, { 'GET /openapi.json': signInDocument(issuer) });
  t.match(await commandLine(t).weir(`login --url ${api.url}`), { code: 1, stderr: /an address without https/ });
});

t.test('a code that was declined or has expired ends the sign-in, and so does a client that may not', async (t) => {
  const said = (error: string, status = 400): Answers => ({
    token: { status, json: { error, error_description: CANARY } },
  });
  t.match(await login(t, said('access_denied')), { code: 3, stderr: /declined[\s\S]*weir login/ });
  t.match(await login(t, said('expired_token')), { code: 3, stderr: /code expired before[\s\S]*weir login/ });
  t.match(await login(t, said('unauthorized_client')), { code: 1, stderr: /device flow/ });
  t.match(await login(t, said('invalid_client', 401)), { code: 1, stderr: /device flow/ });
  t.match(await login(t, said('constructor')), { code: 1, stderr: /refuses the request/ });
  const device = {
    json: { device_code: 'd', user_code: 'A', verification_uri: 'https://a.example', expires_in: 1, interval: 0.1 },
  };
  const pending = said('authorization_pending').token as Said;
  t.match(await login(t, { device, token: pending }), { code: 3, stderr: /code expired before/ });
});

t.test('a terminal waits the longer the provider wants it, and over a moment without it', async (t) => {
  const times: number[] = [];
  const tokens = { access_token: 'a.b.c', token_type: 'Bearer', expires_in: 60 };
  const steps: Said[] = [{ status: 400, json: { error: 'slow_down' } }, { cut: true }, { json: tokens }];
  const ran = await login(t, {
    token(_form, nth) {
      times.push(performance.now());
      return steps[nth - 1] ?? { status: 500 };
    },
  });
  t.equal(ran.code, 0, ran.stderr);
  const [first = 0, second = 0, third = 0] = times;
  t.ok(second - first >= 5_000, 'five seconds more after slow_down');
  t.ok(third - second >= 200, 'twice as long after a failure');
});

t.test('Ctrl-C ends the wait at once, and nothing is kept', async (t) => {
  const idp = await fakeProvider(t, { token: { status: 400, json: { error: 'authorization_pending' } } });
  const { weir } = commandLine(t);
  const api = await fakeApi(t, { 'GET /openapi.json': signInDocument(idp.issuer) });
  const ending = new AbortController();
  const said = (text: string) => text.includes('Code') && ending.abort();
  t.match(await weir(`login --url ${api.url}`, { said, interrupted: ending.signal }), { code: 130 });
  t.match(await weir('whoami'), { code: 3 });
});

t.test('a server that does not say where its people sign in is told so', async (t) => {
  for (const raw of ['<html>', '{}', 'null', '{"components":{"securitySchemes":{"bearer":{"x-sign-in":{}}}}}']) {
    const api = await fakeApi(t, { 'GET /openapi.json': { status: 200, raw } });
    t.match(await commandLine(t).weir(`login --url ${api.url}`), { code: 1, stderr: /sign_in_unknown/ }, raw);
  }
  t.match(await commandLine(t).weir('login --url http://127.0.0.1:1'), { code: 69, stderr: /does not answer/ });
  t.match(await commandLine(t).weir('login'), { code: 2, stderr: /--url/ });
  t.match(await commandLine(t).weir('login --url file:///etc/passwd'), { code: 2 });
});
