import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { listApiTokens, listPolicies, listUsers } from '@weir/plugin-identity/contract';
import { getServicesHealth, listAudit, listPlugins } from '@weir/plugin-platform/contract';
import { listWebhooks } from '@weir/plugin-webhooks/contract';
import { type ComponentType, lazy, Suspense } from 'react';
import { PageHead } from '../parts/page-head.tsx';
import { Later } from '../parts/region.tsx';
import { isEnough, roleIn, usePerson } from '../session/person.ts';

const load = <N extends string>(name: N, read: () => Promise<Record<N, ComponentType>>) =>
  lazy(() => read().then((module) => ({ default: module[name] })));

const TABS = [
  ['health', 'Health', getServicesHealth, load('HealthTab', () => import('./health-tab.tsx'))],
  ['audit', 'Audit trail', listAudit, load('AuditTab', () => import('./audit-tab.tsx'))],
  ['webhooks', 'Webhooks', listWebhooks, load('WebhooksTab', () => import('./webhooks-tab.tsx'))],
  ['tokens', 'API tokens', listApiTokens, load('TokensTab', () => import('./tokens-tab.tsx'))],
  ['users', 'Users', listUsers, load('UsersTab', () => import('./users-tab.tsx'))],
  ['policies', 'Policies', listPolicies, load('PoliciesTab', () => import('./policies/policies-tab.tsx'))],
  ['plugins', 'Plugins', listPlugins, load('PluginsTab', () => import('./plugins-tab.tsx'))],
] as const;

/** What keeps the platform going, and who did what: the places that the role may see. */
export function OperationsPage() {
  const { tab } = useSearch({ from: '/operations' });
  const navigate = useNavigate({ from: '/operations' });
  const { me, tenant } = usePerson();
  const role = roleIn(me, tenant);
  const seen = TABS.filter(([, , { access }]) => isEnough(role, access));
  const shown = seen.find(([name]) => name === tab) ?? TABS[0];
  const [name, label, , Shown] = shown;
  return (
    <>
      <PageHead title={`Operations: ${label}`} />
      <Tabs value={name} onChange={(next) => void navigate({ search: { tab: next ?? 'health' } })} keepMounted={false}>
        <Tabs.List mb="md">
          {seen.map(([value, words]) => (
            <Tabs.Tab key={value} value={value}>
              {words}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={name}>
          <Suspense fallback={<Later />}>
            <Shown />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
