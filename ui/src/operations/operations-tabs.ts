import { listApiTokens, listPolicies, listUsers } from '@weir/plugin-identity/contract';
import { getServicesHealth, listAudit, listPlugins } from '@weir/plugin-platform/contract';
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
] as const;
export type OperationsTab = (typeof TABS)[number][0];

/** The places of Operations that the role may see, and their titles. */
export function useSeenTabs(): [OperationsTab, string][] {
  const { me, tenant } = usePerson();
  const role = roleIn(me, tenant);
  return TABS.filter(([, , { access }]) => isEnough(role, access)).map(([name, title]) => [name, title]);
}
