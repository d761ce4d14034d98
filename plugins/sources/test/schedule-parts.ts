import { randomUUID } from 'node:crypto';
import type { Kernel, Tenant } from '@weir/kernel';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { until } from '../../../test/until.ts';
import { type FiringView, getSchedule } from '../src/contract.ts';
import { fireSchedule } from '../src/schedule/fire.ts';
import { type Api, ok, type TestPlatform } from './platform.ts';

/** What the schedules of a booted platform are made of. */
export function scheduleParts({ kernel: platform }: Pick<TestPlatform, 'kernel'>) {
  const kernel = platform.plugins.find(({ manifest }) => manifest.id === 'sources')?.kernel as Kernel;
  return { kernel, schedules: kernel.use(Schedules) };
}

/** Carries out times of a schedule that come to nothing, as the worker would. */
export function firer(platform: Pick<TestPlatform, 'kernel'>, tenant: Tenant, source_id: string) {
  const start = () => Promise.reject(new Error('nothing is to be started'));
  const deps = { ...scheduleParts(platform), syncs: { start } };
  return (scheduled_at: string, firing_id = randomUUID()) =>
    fireSchedule(deps, tenant, { tenant_id: tenant.tenantId, source_id, firing_id, scheduled_at });
}

/** Waits until a firing of the source is like this. */
export function firing(api: Api, source_id: string, isIt: (one: FiringView) => boolean): Promise<FiringView> {
  return until('a firing', async () => ok(await api(getSchedule, { params: { source_id } })).last_firings.find(isIt));
}

/** A firing as the database has it, with the status of its run. */
export interface Noted {
  firing_id: string;
  origin: string;
  outcome: string;
  code: string | null;
  requested_by: string;
  scheduled_at: string;
  run_id: string | null;
  status: string | null;
}

const NOTED = `select firing_id, origin, outcome, reason->>'code' as code, f.requested_by, scheduled_at, f.run_id, status
  from sources.schedule_firing f left join kernel.run r using (tenant_id, run_id) order by fired_at desc`;

/** Waits until a firing is noted like this, among all that are kept. */
export function noted({ database }: Pick<TestPlatform, 'database'>, isIt: (one: Noted) => boolean): Promise<Noted> {
  return until('a firing', async () => ((await database.peek(NOTED)) as unknown as Noted[]).find(isIt));
}

/** Makes a sync of the source that goes on until what this returns is called: nobody carries it out. */
export async function openRun(
  { db, runs }: TestPlatform,
  tenant: Tenant,
  sourceId: string,
): Promise<() => Promise<void>> {
  const runId = randomUUID();
  await until('the end of the sync before', () =>
    db(tenant).transaction(async (tx) => {
      const { rowCount } = await tx.sql(
        `insert into kernel.run (tenant_id, run_id, kind, subject_id, exclusive, status, workflow_id, requested_by, workflow_started_at)
         values ($1, $2, 'source-sync', $3, true, 'running', $4, 'a test', now() + interval '1 day') on conflict do nothing`,
        [tenant.tenantId, runId, sourceId, `${tenant.tenantId}:source-sync:${runId}`],
      );
      return rowCount === 1 ? true : undefined;
    }),
  );
  return async () => void (await runs.finish(tenant, runId, { status: 'cancelled' }));
}
