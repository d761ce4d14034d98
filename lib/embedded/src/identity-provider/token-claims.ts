import type { DemoUser } from './demo-users.ts';

/** What an access token says beyond the standard claims, in the layout of Keycloak. */
export function tokenClaims(client: string | undefined, user: DemoUser | undefined): Record<string, unknown> {
  const common = { azp: client, typ: 'Bearer' };
  if (user === undefined) return { ...common, preferred_username: `service-account-${client}` };
  const { name, called, organizations, roles, tenantRoles } = user;
  return {
    ...common,
    preferred_username: name,
    name: called,
    email: `${name}.example`,
    organization: [...organizations],
    realm_access: { roles: [...roles] },
    ...(tenantRoles === undefined ? {} : { tenant_roles: tenantRoles }),
  };
}
