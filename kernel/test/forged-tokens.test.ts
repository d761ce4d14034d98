import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, UnsecuredJWT } from 'jose';
import { pino } from 'pino';
import t from 'tap';
import { good, jwk, pair, provider, rulesFor, seconds, sign } from '../../lib/tokens/test/signed-tokens.ts';
import { permission } from '../src/contract/access.ts';
import { endpoint } from '../src/contract/endpoint.ts';
import { contributions } from '../src/contributions/contributions.ts';
import { authenticator } from '../src/http/authenticate.ts';
import { handle, registerRoutes } from '../src/http/handle.ts';
import { createServer } from '../src/http/server.ts';

const [stranger, ec] = await Promise.all([
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('ES384', { extractable: true }),
]);
const publicPem = new TextEncoder().encode(await exportSPKI(pair.publicKey));
/** The provider's own key, used with another hash. */
const sha512 = await importJWK({ ...(await exportJWK(pair.privateKey)), alg: 'RS512' });
const YEAR_S = 365 * 86_400;

const read = endpoint({
  ...{ id: 'pots.list', method: 'GET', path: '/pots', summary: 'Pots' },
  access: permission('pots:read', 'viewer'),
});

type Text = Promise<string> | string;

/** Tokens that a good issuer never made. */
function forged(issuer: string): Record<string, Text> {
  const claims = good(issuer);
  const text = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const timed = { ...claims, iat: seconds(), exp: seconds() + 300 };
  const swapped = async (claim: object) => {
    const [head, , signature] = (await sign(claims)).split('.');
    return `${head}.${text({ ...timed, ...claim })}.${signature}`;
  };
  return {
    'not a token': 'abc',
    'two parts': sign(claims).then((token) => token.split('.').slice(0, 2).join('.')),
    'no signature': sign(claims).then((token) => `${token.split('.').slice(0, 2).join('.')}.`),
    'another signature': sign(claims).then((token) => token.replace(/[^.]+$/, 'AAAA')),
    'claims changed after signing': swapped({ organization: ['other'] }),
    'encrypted, not signed': `${text({ alg: 'RSA-OAEP', enc: 'A256GCM', kid: 'k1' })}.a.b.c.d`,
    'alg none': new UnsecuredJWT({ ...claims, iat: seconds(), exp: seconds() + 300 }).encode(),
    'alg None': `${text({ alg: 'None' })}.${text(timed)}.`,
    'HS256 with the public key': sign(claims, { alg: 'HS256' }, publicPem),
    'HS256 with the text of the key': sign(claims, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(jwk))),
    'RS512, which we do not take': sign(claims, { alg: 'RS512' }, sha512),
    'ES384, which we do not take': sign(claims, { alg: 'ES384' }, ec.privateKey),
    'another key under our key id': sign(claims, {}, stranger.privateKey),
    'unknown key id': sign(claims, { kid: 'k2' }, stranger.privateKey),
    'a key of its own': sign(claims, { kid: 'k2', jwk }, stranger.privateKey),
    'an address of keys': sign(claims, { kid: 'k2', jku: `${issuer}/keys` }, stranger.privateKey),
    'a certificate of its own': sign(claims, { kid: 'k2', x5u: `${issuer}/keys` }, stranger.privateKey),
    'a critical header that we do not know': swapped({}).then((token) =>
      token.replace(/^[^.]+/, text({ alg: 'RS256', kid: 'k1', crit: ['exp2'], exp2: 1 })),
    ),
    'an API token that nobody reads': `weir_${'a'.repeat(43)}`,
  };
}

/** Tokens of a good issuer that are stale, for somebody else or odd. */
function foreign(issuer: string): Record<string, Text> {
  const claims = good(issuer);
  const but = (changes: JWTPayload) => sign({ ...claims, ...changes });
  return {
    'issuer with a slash': but({ iss: `${issuer}/` }),
    'issuer in capitals': but({ iss: issuer.toUpperCase() }),
    'issuers as a list': but({ iss: [issuer] as never }),
    'other audience': but({ aud: 'account' }),
    'the client as audience': but({ aud: 'weir-cli' }),
    'other audiences': but({ aud: ['account', 'weir-api2'] }),
    'no audience': but({ aud: undefined as never }),
    'no subject': but({ sub: undefined as never }),
    'empty subject': but({ sub: '' }),
    'a number as subject': but({ sub: 7 as never }),
    'a subject without end': but({ sub: 'a'.repeat(256) }),
    'no client': but({ azp: undefined }),
    'clients as a list': but({ azp: ['weir-cli'] }),
    expired: but({ exp: seconds() - 31, iat: seconds() - 120 }),
    'no expiry': but({ exp: undefined as never }),
    'expiry as text': but({ exp: String(seconds() + 300) as never }),
    'no time of issue': but({ iat: undefined as never }),
    'not yet valid': but({ nbf: seconds() + 60 }),
    'issued in the future': but({ iat: seconds() + 3600, exp: seconds() + 7200 }),
    'lives ten years': but({ exp: seconds() + 10 * YEAR_S }),
    'too many organizations': but({ organization: Array.from({ length: 201 }, (_, n) => `o${n}`) }),
    'one organization as text': but({ organization: 'acme' }),
    'a number of organizations': but({ organization: 1 }),
    'too long': but({ padding: 'a'.repeat(16 * 1024) }),
  };
}

/** Tokens of a good issuer that are no access tokens. */
function ofOtherKinds(issuer: string): Record<string, Text> {
  const claims = good(issuer);
  const but = (changes: JWTPayload) => sign({ ...claims, ...changes });
  return {
    'ID token': but({ typ: 'ID' }),
    'refresh token': but({ typ: 'Refresh' }),
    'logout token': but({ typ: 'Logout' }),
    'ID token that says Bearer': but({ at_hash: 'x' }),
    'ID token that says Bearer, of a code': but({ c_hash: 'x' }),
    'logout token that says Bearer': but({
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    }),
    ...Object.fromEntries(
      [
        'refresh+jwt',
        'logout+jwt',
        'application/logout+jwt',
        'id+jwt',
        'secevent+jwt',
        'dpop+jwt',
        'rt+jwt',
        '',
        7,
      ].map((typ) => [`header ${typ}`, sign(claims, { typ })]),
    ),
    'header of another kind of token, no kind among the claims': sign({ ...claims, typ: undefined }, { typ: 'JWT' }),
    'ID token under the header of an access token': sign({ ...claims, typ: 'ID' }, { typ: 'at+jwt' }),
    'token bound to a key': but({ typ: 'DPoP' }),
    'not marked as an access token': but({ typ: undefined }),
  };
}

/** Headers that carry a good token, but not as one does. */
async function oddHeaders(issuer: string): Promise<Record<string, Record<string, string | string[]>>> {
  const token = await sign(good(issuer));
  const header = (authorization: string | string[]) => ({ authorization });
  return {
    'no header': {},
    'empty header': header(''),
    'no scheme': header(token),
    'another scheme': header(`Basic ${token}`),
    'scheme in small letters': header(`bearer ${token}`),
    'two spaces': header(`Bearer  ${token}`),
    'something behind it': header(`Bearer ${token} x`),
    'two in one header': header(`Bearer ${token}, Bearer ${token}`),
    'two headers': header([`Bearer ${token}`, `Bearer ${token}`]),
    'in a cookie': { cookie: `authorization=Bearer ${token}` },
  };
}

async function server(t: Parameters<typeof provider>[0], issuer: string) {
  const app = createServer(pino({ level: 'silent' }));
  const tenant = { tenantId: '1', alias: 'acme', scope: 'acme' };
  const authenticate = authenticator({
    rules: rulesFor(issuer),
    tenants: { list: async () => [], byAlias: async (alias) => (alias === 'acme' ? tenant : undefined) },
    tenantPlugins: { isEnabled: async () => true },
    contributions: contributions(),
  });
  registerRoutes(app, [handle(read, async () => undefined)], { authenticate, idempotency: {} as never });
  t.teardown(() => app.close());
  return async (headers: Record<string, string | string[]>, query = '') => {
    const answer = await app.inject({ method: 'GET', url: `/api/v1/pots${query}`, headers });
    const { date: _date, ...rest } = answer.headers;
    return { status: answer.statusCode, headers: rest, body: answer.body.replace(/"trace_id":"\w+"/, '') };
  };
}

t.test(
  'forged, foreign, stale and odd tokens are refused alike: one document, and only its trace id differs',
  async (t) => {
    const { issuer } = await provider(t);
    const ask = await server(t, issuer);
    t.match(await ask({ authorization: `Bearer ${await sign(good(issuer))}` }), { status: 200 }, 'a good one passes');
    const refusal = await ask({ authorization: 'Bearer abc' });
    t.match(refusal, { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: /"code":"unauthenticated"/ });
    const tokens = Object.entries({ ...forged(issuer), ...foreign(issuer), ...ofOtherKinds(issuer) });
    t.ok(tokens.length >= 40, `${tokens.length} tokens`);
    for (const [name, token] of tokens)
      t.strictSame(await ask({ authorization: `Bearer ${await token}` }), refusal, name);
    for (const [name, headers] of Object.entries(await oddHeaders(issuer)))
      t.strictSame(await ask(headers), refusal, name);
    t.strictSame(await ask({}, `?access_token=${await sign(good(issuer))}`), refusal, 'in the query');
  },
);
