import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { pino } from 'pino';
import t from 'tap';
import { providerKeys } from '../src/auth/keys.ts';
import { rememberTokens } from '../src/auth/remember-tokens.ts';
import { type TokenRules, verifyToken } from '../src/auth/verify-token.ts';

const pair = await generateKeyPair('RS256', { extractable: true });
const stranger = await generateKeyPair('RS256', { extractable: true });
const log = pino({ level: 'silent' });

/** A provider on loopback whose health and request count the test controls. */
async function provider(t: { teardown(work: () => unknown): void }) {
  const state = { down: false, reads: 0 };
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    if (state.down) return response.writeHead(503).end();
    if (request.url === '/keys') {
      state.reads += 1;
      return response.end(JSON.stringify({ keys: [jwk] }));
    }
    return response.end(JSON.stringify({ jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => server.close());
  return { issuer, state };
}

const rulesFor = (issuer: string, now?: () => number): TokenRules => ({
  issuer,
  audience: 'weir-api',
  organizationClaim: 'organization',
  services: new Map([['loader', { tenants: ['acme'], capabilities: ['source:write'] }]]),
  keys: providerKeys({ providerUrl: issuer, log, ...(now ? { now } : {}) }),
});

const good = (issuer: string): JWTPayload => ({
  iss: issuer,
  aud: 'weir-api',
  sub: 'ada',
  azp: 'weir-cli',
  typ: 'Bearer',
  organization: ['acme'],
  realm_access: { roles: ['admin'] },
});

const seconds = () => Math.floor(Date.now() / 1000);
const sign = (claims: JWTPayload, header: object = {}, key: Parameters<SignJWT['sign']>[0] = pair.privateKey) =>
  new SignJWT({ iat: seconds(), exp: seconds() + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .sign(key);

t.test(
  'a user token gives organizations and roles, a service token its configured tenants and capabilities',
  async (t) => {
    const { issuer } = await provider(t);
    const rules = rulesFor(issuer);
    t.match(await verifyToken(await sign(good(issuer)), rules), {
      ok: true,
      principal: { kind: 'user', subject: 'ada', organizations: ['acme'], realmRoles: ['admin'] },
    });
    t.match(await verifyToken(await sign({ ...good(issuer), organization: { acme: { id: '1' } } }), rules), {
      principal: { organizations: ['acme'] },
    });
    t.match(await verifyToken(await sign({ ...good(issuer), azp: 'loader', sub: 'loader' }), rules), {
      principal: { kind: 'service', tenants: ['acme'], capabilities: ['source:write'] },
    });
  },
);

t.test('every confused, foreign, stale or oversized token is refused', async (t) => {
  const { issuer } = await provider(t);
  const rules = rulesFor(issuer);
  const claims = good(issuer);
  const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const publicPem = new TextEncoder().encode(await exportSPKI(pair.publicKey));
  const cases: Record<string, Promise<string> | string> = {
    'not a token': 'abc',
    'alg none': new UnsecuredJWT({ ...claims, iat: seconds(), exp: seconds() + 300 }).encode(),
    'HS256 with the public key': sign(claims, { alg: 'HS256' }, publicPem),
    'another key under our key id': sign(claims, {}, stranger.privateKey),
    'unknown key id': sign(claims, { kid: 'k2' }),
    'issuer with a slash': sign({ ...claims, iss: `${issuer}/` }),
    'other audience': sign({ ...claims, aud: 'account' }),
    'no audience': sign(without('aud')),
    'no subject': sign(without('sub')),
    'no client': sign(without('azp')),
    'ID token': sign({ ...claims, typ: 'ID' }),
    'refresh token': sign({ ...claims, typ: 'Refresh' }),
    'not marked as an access token': sign(without('typ')),
    expired: sign({ ...claims, exp: seconds() - 60, iat: seconds() - 120 }),
    'no expiry': sign({ ...claims, exp: undefined as unknown as number }),
    'not yet valid': sign({ ...claims, nbf: seconds() + 120 }),
    'issued in the future': sign({ ...claims, iat: seconds() + 3600, exp: seconds() + 7200 }),
    'lives ten years': sign({ ...claims, exp: seconds() + 10 * 365 * 86_400 }),
    'too many organizations': sign({ ...claims, organization: Array.from({ length: 201 }, (_, n) => `o${n}`) }),
    'a person on a service client': sign({ ...claims, azp: 'loader', preferred_username: 'ada' }),
    'too long': 'a'.repeat(17 * 1024),
  };
  for (const [name, token] of Object.entries(cases))
    t.match(await verifyToken(await token, rules), { ok: false }, name);
});

t.test('keys are read once, random key ids do not multiply reads, and an outage signs nobody out', async (t) => {
  const { issuer, state } = await provider(t);
  let now = 1_000_000;
  const rules = rulesFor(issuer, () => now);
  const token = await sign(good(issuer));
  await Promise.all(Array.from({ length: 20 }, () => verifyToken(token, rules)));
  t.equal(state.reads, 1);
  for (let n = 0; n < 50; n += 1) await verifyToken(await sign(good(issuer), { kid: `random-${n}` }), rules);
  t.ok(state.reads <= 2, 'one further read at most within the back-off');
  state.down = true;
  now += 60 * 60_000;
  t.match(await verifyToken(token, rules), { ok: true }, 'an hour into the outage');
  now += 24 * 60 * 60_000;
  t.match(await verifyToken(token, rules), { ok: false, unavailable: true }, 'after a day the keys are too old');
});

t.test('a good token is verified once in half a minute, never beyond its end, and a refusal each time', async (t) => {
  const { issuer } = await provider(t);
  let now = Date.now();
  let verified = 0;
  const rules = rulesFor(issuer);
  const keys: TokenRules['keys'] = (header, token) => {
    verified += 1;
    return rules.keys(header, token);
  };
  const verify = rememberTokens({ ...rules, keys }, () => now);
  const token = await sign(good(issuer));
  for (let n = 0; n < 5; n += 1) t.match(await verify(token), { ok: true, principal: { subject: 'ada' } });
  t.equal(verified, 1);
  now += 30_000;
  await verify(token);
  t.equal(verified, 2, 'after half a minute its key is looked at again');
  t.match(await verify(await sign({ ...good(issuer), sub: 'eve' })), { principal: { subject: 'eve' } });
  const [head, body, signature = ''] = token.split('.');
  const forged = [head, body, signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join('.');
  for (let n = 0; n < 2; n += 1) t.match(await verify(forged), { ok: false });
  t.equal(verified, 5, 'nothing is remembered of another token or of a refusal');
  const short = await sign({ ...good(issuer), exp: seconds() + 5 });
  await verify(short);
  now = Date.now() + 6_000;
  verified = 0;
  await verify(short);
  t.equal(verified, 1, 'a token that has come to its end is looked at again');
});
