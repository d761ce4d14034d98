import { listApiTokens, listPolicies, listUsers } from '@weir/plugin-identity/contract';
import { getLimits, getServicesHealth, listAudit, listPlugins, listTenants } from '@weir/plugin-platform/contract';
import { listWebhooks } from '@weir/plugin-webhooks/contract';
import { isEnough, roleIn, usePerson } from '../session/person.ts';

const TABS = [
  ['health', 'Health', getServicesHealth],
  ['audit', 'Audit trail', listAudit],
  ['webhooks', 'Webhooks', listWebhooks],
  ['tokens', 'API tokens', listApiTokens],
  ['users', 'Users', listUsers],
  ['policies', 'Policies', listPolicies],
  ['plugins', 'Plugins', listPlugins],
  ['limits', 'Limits', getLimits],
  ['tenants', 'Tenants', listTenants],
] as const;
export type OperationsTab = (typeof TABS)[number][0];

/** The places of Operations that the role may see, and their titles. */
export function useSeenTabs(): [OperationsTab, string][] {
  const { me, tenant } = usePerson();
  const role = roleIn(me, tenant);
  const may = ({ access }: (typeof TABS)[number][2]) =>
    access.kind === 'platform' ? me.platform_admin : isEnough(role, access);
  return TABS.filter(([, , endpoint]) => may(endpoint)).map(([name, title]) => [name, title]);
}
