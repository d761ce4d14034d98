import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  kernelProblems,
  Nullable,
  permission,
  platformPermission,
  Timestamp,
} from '@weir/kernel/contract';
import { Alias } from './plugins.ts';

const manage = platformPermission('limits:manage', { capability: 'limits:manage' });

const MAX_RUNS = 1_000_000;

const limit = (maximum: number, description: string) => Nullable(Type.Integer({ minimum: 0, maximum, description }));

/** What a tenant may use: null where the default of the deployment holds, 0 for no limit. */
const limits = {
  runs_per_day: limit(MAX_RUNS, 'Runs that it may start in a day of UTC'),
  concurrent_runs: limit(MAX_RUNS, 'Runs of it that may be open at once: waiting or running'),
  storage_bytes: limit(Number.MAX_SAFE_INTEGER, 'Bytes of its tables from which on no further run starts'),
};

/** What a tenant is held to, and what it uses now. */
export const TenantLimits = Type.Object({
  tenant: Type.String({ description: 'Alias of the tenant' }),
  ...limits,
  effective: Type.Object(limits, { description: 'With the defaults put in; null where there is no limit' }),
  used: Type.Object({
    runs_today: Type.Integer({ description: 'Runs that were started since midnight UTC' }),
    open_runs: Type.Integer(),
    storage_bytes: Type.Integer({ description: 'Of the current snapshots of its tables' }),
  }),
  changed_by: Nullable(Type.String()),
  changed_at: Nullable(Timestamp),
});
export type TenantLimitsView = Static<typeof TenantLimits>;

const Params = Type.Object({ alias: Alias });

export const getTenantLimits = endpoint({
  id: 'platform.get_tenant_limits',
  method: 'GET',
  path: '/tenants/:alias/limits',
  summary: 'Show what a tenant may use and what it uses',
  access: manage,
  params: Params,
  response: TenantLimits,
  errors: [kernelProblems.notFound],
});

/** `GET /limits` */
export const getLimits = endpoint({
  id: 'platform.get_limits',
  method: 'GET',
  path: '/limits',
  summary: 'Show what the own tenant may use and what it uses',
  access: permission('limits:read', 'admin', { capability: 'limits:read' }),
  response: TenantLimits,
  cli: 'limits',
});

export const setTenantLimits = endpoint({
  id: 'platform.set_tenant_limits',
  method: 'PUT',
  path: '/tenants/:alias/limits',
  summary: 'Set what a tenant may use',
  description:
    'What is null follows the default of the deployment, 0 is no limit. It holds from the next run on; runs that are open go on. A start beyond it answers 429 concurrency_limited or quota_exceeded and makes no run.',
  access: manage,
  params: Params,
  body: Closed(limits),
  example: { runs_per_day: 500, concurrent_runs: 5, storage_bytes: null },
  response: TenantLimits,
  errors: [kernelProblems.notFound],
});
