import type { RequestListener } from 'node:http';
import t from 'tap';
import { KeysUnavailable } from '../src/keys.ts';
import { rememberTokens } from '../src/remember-tokens.ts';
import { verifyToken } from '../src/verify-token.ts';
import { good, jwk, listening, provider, rulesFor, seconds, sign } from './signed-tokens.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

t.test(
  'a provider that is down for 15 minutes fails none of 50 known users a second, by at most 30 fetches',
  async (t) => {
    const { issuer, state } = await provider(t);
    const begun = Date.now();
    let now = begun;
    const verify = rememberTokens(rulesFor(issuer, { now: () => now }), () => now);
    const later = { exp: seconds() + 3600 };
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, user) => sign({ ...good(issuer), sub: `user-${user}`, ...later })),
    );
    for (const token of tokens) await verify(token);
    t.equal(state.reads, 1, 'keys are read once for all');
    state.down = true;
    state.reads = 0;
    now += 11 * MINUTE_MS;
    let failed = 0;
    for (const end = now + 15 * MINUTE_MS; now < end; now += SECOND_MS) {
      const verdicts = await Promise.all(tokens.map(verify));
      failed += verdicts.filter(({ ok }) => !ok).length;
      await new Promise(setImmediate);
    }
    t.equal(failed, 0);
    t.ok(state.reads > 0 && state.reads <= 30, `${state.reads} fetches`);
  },
);

t.test('10,000 unknown key ids make at most two fetches a minute', async (t) => {
  const { issuer, state } = await provider(t);
  let now = Date.now();
  const rules = rulesFor(issuer, { now: () => now });
  const [, payload] = (await sign(good(issuer))).split('.');
  for (let n = 0; n < 10_000; n += 1) {
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: `random-${n}` })).toString('base64url');
    await verifyToken(`${header}.${payload}.AAAA`, rules);
    now += (5 * MINUTE_MS) / 10_000;
  }
  t.ok(state.reads <= 10, `${state.reads} fetches in five minutes`);
  t.match(await verifyToken(await sign(good(issuer)), rules), { ok: true }, 'and nobody is kept out');
});

t.test('keys are good for a day of outage and no longer, and a new key is seen after half a minute', async (t) => {
  const { issuer, state } = await provider(t);
  let now = Date.now();
  const rules = rulesFor(issuer, { now: () => now });
  const token = await sign(good(issuer));
  await Promise.all(Array.from({ length: 20 }, () => verifyToken(token, rules)));
  t.equal(state.reads, 1, 'one read at a time');
  state.down = true;
  now += DAY_MS - MINUTE_MS;
  t.match(await verifyToken(token, rules), { ok: true }, 'nearly a day into the outage');
  now += 2 * MINUTE_MS;
  t.match(await verifyToken(token, rules), { ok: false, unavailable: true }, 'the keys are too old');
  state.down = false;
  t.match(await verifyToken(token, rules), { ok: false }, 'not asked again at once');
  now += 30 * SECOND_MS;
  t.match(await verifyToken(token, rules), { ok: true });
});

t.test('keys come by https or from this machine, unredirected, in time, and in no more than 256 KiB', async (t) => {
  const token = await sign(good('http://issuer.test'));
  const key = async (providerUrl: string, more: { fetch?: typeof fetch } = {}) =>
    verifyToken(token, { ...rulesFor('http://issuer.test'), keys: rulesFor(providerUrl, more).keys });
  const answers = (keys: RequestListener, discovery?: RequestListener) => async () => {
    const url = await listening(t, (request, response) => {
      if (request.url === '/keys') return keys(request, response);
      if (discovery !== undefined) return discovery(request, response);
      return response.end(JSON.stringify({ jwks_uri: `${url}/keys` }));
    });
    return url;
  };
  const goodKeys = JSON.stringify({ keys: [jwk] });
  const elsewhere = await answers((_, response) => response.end(goodKeys))();
  t.match(await key(elsewhere), { ok: true });
  const redirect: RequestListener = (request, response) =>
    response.writeHead(302, { location: `${elsewhere}${request.url}` }).end();
  const named =
    (address: string): RequestListener =>
    (_, response) =>
      response.end(JSON.stringify({ jwks_uri: address }));
  const cases: Record<string, () => Promise<string>> = {
    'keys that are redirected': answers(redirect),
    'a discovery document that is redirected': answers(redirect, redirect),
    'keys beyond 256 KiB': answers((_, response) => response.end(`${goodKeys}${' '.repeat(256 * 1024)}`)),
    'keys without an end': answers((_, response) => {
      response.write(' '.repeat(300 * 1024));
    }),
    'no keys': answers((_, response) => response.end('{"keys":[]}')),
    'keys that are no list': answers((_, response) => response.end('{"keys":{}}')),
    'no JSON': answers((_, response) => response.end('<html>')),
    'keys by http on another machine': answers(redirect, named('http://keys.example/keys')),
    'keys by another protocol': answers(redirect, named('file:///etc/passwd')),
    'no address of keys': answers(redirect, (_, response) => response.end('{}')),
  };
  for (const [name, make] of Object.entries(cases))
    t.match(await key(await make()), { ok: false, unavailable: true, reason: new KeysUnavailable().message }, name);
  const asked: unknown[] = [];
  const refuse: typeof fetch = async (url) => {
    asked.push(url);
    throw new Error('unreachable');
  };
  await key('http://idp.example', { fetch: refuse });
  t.strictSame(asked, [], 'http to another machine is not even tried');
});

t.test('a provider that publishes nothing for a while takes no good key away', async (t) => {
  let published: unknown = [jwk];
  const issuer = await listening(t, (request, response) =>
    response.end(JSON.stringify(request.url === '/keys' ? { keys: published } : { jwks_uri: `${issuer}/keys` })),
  );
  let now = Date.now();
  const rules = rulesFor(issuer, { now: () => now });
  const token = await sign(good(issuer));
  t.match(await verifyToken(token, rules), { ok: true });
  published = [];
  now += 30 * SECOND_MS;
  await verifyToken(await sign(good(issuer), { kid: 'other' }), rules);
  t.match(await verifyToken(token, rules), { ok: true });
});
