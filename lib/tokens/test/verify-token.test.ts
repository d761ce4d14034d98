import t from 'tap';
import { rememberTokens } from '../src/remember-tokens.ts';
import { type TokenRules, verifyToken } from '../src/verify-token.ts';
import { good, provider, rulesFor, seconds, sign } from './signed-tokens.ts';

t.test('who a token is of: a person, a service, or a client that acts for a person', async (t) => {
  const { issuer } = await provider(t);
  const rules = rulesFor(issuer);
  const iat = Math.floor(Date.now() / 1000) - 60;
  const of = async (claims: object, header?: object) => {
    const verdict = await verifyToken(await sign({ ...good(issuer), iat, ...claims }, header), rules);
    return verdict.ok ? verdict.principal : verdict.reason;
  };
  const ada = { issuedAt: new Date(iat * 1000), subject: 'ada', organizations: ['acme'], realmRoles: ['admin'] };
  t.strictSame(await of({}), { kind: 'user', client: 'weir-cli', ...ada });
  t.match(await of({ organization: { acme: { id: '1' } } }), { kind: 'user', organizations: ['acme'] });
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt'])
    t.match(await of({ typ: undefined }, { typ }), { kind: 'user' }, 'RFC 9068');
  for (const typ of ['JWT', 'jwt', 'application/jwt', 'at+jwt', undefined])
    t.match(await of({}, { typ }), { kind: 'user' }, `Bearer among the claims, header ${typ}`);
  t.match(await of({ azp: undefined, client_id: 'weir-cli' }), { kind: 'user', client: 'weir-cli' });
  const own = { organization: undefined, realm_access: { roles: ['admin'] } };
  const loader = { kind: 'service', client: 'loader', tenants: ['acme'], capabilities: ['source:write'] };
  t.strictSame(await of({ ...own, azp: 'loader', sub: 'loader' }), { ...loader, subject: 'loader' }, 'no role counts');
  t.match(await of({ ...own, azp: 'loader', sub: '7', preferred_username: 'service-account-loader' }), loader);
  const portal = { kind: 'delegation', client: 'portal', capabilities: ['source:write'], ...ada };
  t.strictSame(await of({ azp: 'portal' }), portal);
  t.match(await of({ azp: 'portal', organization: ['acme', 'other'] }), { organizations: ['acme'] }, 'of both');
  const stranger = { kind: 'delegation', organizations: [], capabilities: [] };
  t.match(await of({ act: { sub: 'whoever' } }), stranger, 'a client that nobody named may do nothing for anybody');
  t.match(await of({ azp: 'portal', act: { sub: 'whoever' } }), portal);
});

t.test('a token is of a service by proof alone; anything else is a person with their own rights', async (t) => {
  const { issuer } = await provider(t);
  const rules = rulesFor(issuer);
  const kind = async (claims: object, changes: Partial<TokenRules> = {}) => {
    const own = { ...good(issuer), organization: undefined, azp: 'loader', ...claims };
    const verdict = await verifyToken(await sign(own), { ...rules, ...changes });
    return verdict.ok ? verdict.principal : verdict.reason;
  };
  const login = { preferred_username: 'service-account-loader' };
  t.match(await kind({ sub: 'loader' }), { kind: 'service' });
  t.match(await kind(login), { kind: 'service' });
  t.match(await kind({ sub: 'loader', scope: 'email', acr: '1', email_verified: false }), { kind: 'service' });
  const person = { kind: 'user', client: 'loader', organizations: [], realmRoles: ['admin'] };
  t.match(await kind({}), { ...person, subject: 'ada' }, 'no login and no organization prove nothing');
  t.match(await kind({ scope: 'source:write', capabilities: ['source:write'] }), person);
  t.match(await kind({ sub: 'loader', preferred_username: 'ada' }), person);
  t.match(await kind({ sub: 'loader', preferred_username: 7 }), person);
  t.match(await kind({ preferred_username: 'service-account-loade' }), person);
  t.match(await kind({ organization: ['acme'], sub: 'loader' }), { ...person, organizations: ['acme'] });
  const ofPeople = { sid: 's', session_state: 's', auth_time: 1, nonce: 'n', amr: ['pwd'], email: 'a@b', name: 'Ada' };
  for (const [name, value] of Object.entries(ofPeople))
    for (const proof of [{ sub: 'loader' }, login]) t.match(await kind({ ...proof, [name]: value }), person, name);
  t.match(await kind({ azp: 'weir-cli', sub: 'weir-cli' }), { kind: 'user' }, 'of a client that is not listed');
  const marked = { serviceMarks: [{ gty: 'client-credentials', sub: '{client}@clients' }] };
  t.match(await kind({ gty: 'client-credentials', sub: 'loader@clients' }, marked), { kind: 'service' });
  for (const less of [{ gty: 'client-credentials' }, { sub: 'loader@clients' }, { sub: 'loader' }, login])
    t.match(await kind(less, marked), person, 'a mark is all of its claims');
  const odd = { azp: '$&', sub: '$&' };
  t.match(await kind(odd, { services: new Map([['$&', { tenants: '*', capabilities: [] }]]) }), { kind: 'service' });
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
