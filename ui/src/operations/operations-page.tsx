import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { PageHead } from '../parts/page-head.tsx';
import { Later } from '../parts/region.tsx';
import { type OperationsTab, useSeenTabs } from './operations-tabs.ts';

const load = <N extends string>(name: N, read: () => Promise<Record<N, ComponentType>>) =>
  lazy(() => read().then((module) => ({ default: module[name] })));

const PARTS: Readonly<Record<OperationsTab, ComponentType>> = {
  health: load('HealthTab', () => import('./health-tab.tsx')),
  audit: load('AuditTab', () => import('./audit-tab.tsx')),
  webhooks: load('WebhooksTab', () => import('./webhooks-tab.tsx')),
  tokens: load('TokensTab', () => import('./tokens-tab.tsx')),
  users: load('UsersTab', () => import('./users-tab.tsx')),
  policies: load('PoliciesTab', () => import('./policies/policies-tab.tsx')),
  plugins: load('PluginsTab', () => import('./plugins-tab.tsx')),
  limits: load('LimitsTab', () => import('./tenants/limits-tab.tsx')),
  tenants: load('TenantsTab', () => import('./tenants/tenants-tab.tsx')),
};

/** What keeps the platform going, and who did what: the places that the role may see. */
export function OperationsPage() {
  const { tab } = useSearch({ from: '/operations' });
  const navigate = useNavigate({ from: '/operations' });
  const seen = useSeenTabs();
  const [name, label] = seen.find(([one]) => one === tab) ?? (['health', 'Health'] as const);
  const Shown = PARTS[name];
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
