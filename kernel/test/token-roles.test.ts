import { type TokenRules, verifyToken } from '@weir/tokens';
import t from 'tap';
import { good, provider, rulesFor, sign } from '../../lib/tokens/test/signed-tokens.ts';
import type { TenantRole } from '../src/contract/access.ts';
import { rolesIn } from '../src/contract/caller.ts';

t.test(
  'roles are ours or nothing, per tenant where the token says so, and platform_admin as it is called here',
  async (t) => {
    const { issuer } = await provider(t);
    const rules = rulesFor(issuer);
    const roles = async (claims: object, more: Partial<TokenRules<TenantRole>> = {}, alias = 'acme') => {
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
