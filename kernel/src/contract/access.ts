/** Roles of a user within one tenant, weakest first; `platform_admin` stands outside the order. */
export const TENANT_ROLES = ['viewer', 'pipeline_editor', 'admin'] as const;
export type TenantRole = (typeof TENANT_ROLES)[number];
export type Role = TenantRole | 'platform_admin';

/** Which clients may call, beside the people who hold the role. A route that changes something names a capability or is for people. */
interface ClientAccess {
  /** What a service must have been given instead of a role, and a delegation beside the role of its person. */
  capability?: string;
  /** Services and delegations are refused, whatever they were given. */
  people?: true;
  /** A POST that changes nothing: without a capability, clients may call it as any viewer may. */
  reads?: true;
}

/** Who may call an endpoint. A route without one is refused at boot. */
export type Access =
  | {
      kind: 'public';
      /** A probe is answered whatever credential comes along; elsewhere one that is sent must be good. */
      probe?: true;
    }
  | ({
      kind: 'tenant';
      permission: string;
      /** The weakest tenant role that holds the permission. */
      role: TenantRole;
      /** `users`: people must send `X-Tenant-ID`, and a client that does not means the only tenant that it may mean. */
      tenantHeader: 'users' | 'optional';
      /** With `users`: a client that names no tenant is answered over all in which it may call this. */
      across?: true;
      /** People are refused, whatever their roles. */
      callers?: 'services';
    } & ClientAccess)
  | ({ kind: 'platform'; permission: string; role: 'platform_admin' } & ClientAccess)
  /** Whoever signs the request with a secret that both sides know; no role and no capability stands for it. */
  | { kind: 'webhook'; permission: string }
  /** Whoever has a good credential, whatever its tenants and roles are. */
  | { kind: 'known'; permission: string };

/** Access by anyone, without a token. */
export const anyone: Access = { kind: 'public' };

/** Access by whoever looks whether the platform lives: no credential is looked at, so that a bad one fails no probe. */
export const probe: Access = { kind: 'public', probe: true };

/** Access within one tenant: `noun:verb`, and the weakest role that holds it. */
export function permission(
  name: string,
  role: TenantRole,
  options: ClientAccess & { tenantHeader?: 'users' | 'optional'; across?: true } = {},
): Access {
  return { kind: 'tenant', permission: name, role, tenantHeader: 'optional', ...options };
}

/** Access by services alone that were given the capability: calls of programs about their own work. */
export function servicePermission(name: string, capability: string): Access {
  return { kind: 'tenant', permission: name, role: 'admin', capability, tenantHeader: 'optional', callers: 'services' };
}

/** Access by any good credential. */
export function knownPermission(name: string): Access {
  return { kind: 'known', permission: name };
}

/** Access by signature, which the `SignatureReader` of this permission reads. */
export function webhookPermission(name: string): Access {
  return { kind: 'webhook', permission: name };
}

/** Access to what all tenants share: `platform_admin`, or a service with the capability. */
export function platformPermission(name: string, options: ClientAccess = {}): Access {
  return { kind: 'platform', permission: name, role: 'platform_admin', ...options };
}
