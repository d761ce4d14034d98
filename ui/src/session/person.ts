import { type Access, TENANT_ROLES, type TenantRole } from '@weir/kernel/contract';
import type { MeView } from '@weir/plugin-identity/contract';
import { createContext, use } from 'react';

export interface Person {
  me: MeView;
  tenant: string;
  chooseTenant(alias: string): void;
  signOut(): Promise<void>;
}

export const PersonContext = createContext<Person | undefined>(undefined);

export function usePerson(): Person {
  const person = use(PersonContext);
  if (person === undefined) throw new Error('no person above this component');
  return person;
}

/** What people call a role. */
export const ROLE_WORDS: Readonly<Record<TenantRole, string>> = {
  viewer: 'viewer',
  pipeline_editor: 'pipeline editor',
  admin: 'admin',
};

/** The strongest role of a person in a tenant. */
export function roleIn(me: MeView, tenant: string): TenantRole | undefined {
  const { roles = [] } = me.tenants.find(({ alias }) => alias === tenant) ?? {};
  return TENANT_ROLES.findLast((role) => roles.includes(role));
}

/** Whether a role is enough for an endpoint, as its contract says; a policy may forbid more. */
export function isEnough(role: TenantRole | undefined, access: Access): boolean {
  if (access.kind !== 'tenant') return access.kind !== 'platform';
  return role !== undefined && TENANT_ROLES.indexOf(role) >= TENANT_ROLES.indexOf(access.role);
}

/** Whether the person may call an endpoint, in the chosen tenant where it is one of a tenant. */
export function useMay({ access }: { access: Access }): boolean {
  const { me, tenant } = usePerson();
  return access.kind === 'platform' ? me.platform_admin : isEnough(roleIn(me, tenant), access);
}
