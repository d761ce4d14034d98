import t from 'tap';
import { rememberTokens } from '../src/auth/remember-tokens.ts';
import { type TokenRules, verifyToken } from '../src/auth/verify-token.ts';
import { rolesIn } from '../src/contract/caller.ts';
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
  t.match(await of({ typ: undefined }, { typ: 'at+jwt' }), { kind: 'user' }, 'RFC 9068');
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

t.test(
  'roles are ours or nothing, per tenant where the token says so, and platform_admin as it is called here',
  async (t) => {
    const { issuer } = await provider(t);
    const rules = rulesFor(issuer);
    const roles = async (claims: object, more: Partial<TokenRules> = {}, alias = 'acme') => {
      const verdict = await verifyToken(await sign({ ...good(issuer), ...claims }), { ...rules, ...more });
      const tenant = { tenantId: '1', alias, scope: alias };
      return verdict.ok ? rolesIn(verdict.principal, tenant) : verdict.reason;
    };
    const realm = (...held: unknown[]) => ({ realm_access: { roles: held } });
    t.strictSame(await roles(realm('root', 'viewer', 7, 'offline_access')), ['viewer']);
    t.strictSame(await roles({ realm_access: 'admin' }), []);
    t.strictSame(await roles(realm('platform_admin')), ['platform_admin']);
    t.strictSame(await roles(realm('admin'), { platformAdminRole: 'admin' }), ['admin', 'platform_admin']);
    t.strictSame(await roles(realm('platform_admin'), { platformAdminRole: 'operators' }), []);
    const perTenant = { tenant_roles: { acme: ['viewer', 'root'], other: 'admin' } };
    t.strictSame(await roles({ ...realm('admin', 'platform_admin'), ...perTenant }), ['viewer', 'platform_admin']);
    t.strictSame(await roles({ ...realm('admin'), ...perTenant }, {}, 'other'), []);
    t.strictSame(await roles({ ...realm('admin'), ...perTenant }, {}, 'constructor'), []);
    t.strictSame(await roles({ ...realm('admin'), tenant_roles: ['acme'] }), ['admin'], 'not of the form');
  },
);

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
