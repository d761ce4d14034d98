import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import type { Kernel, Tenant } from '@weir/kernel';
import type { FiringView } from '@weir/plugin-schedules/contract';
import { Schedules } from '@weir/plugin-workflow-engine/contract';
import { sharedPlatformPlaces } from '../../../test/shared-platform-places.ts';
import { until } from '../../../test/until.ts';
import { SCHEDULE_WORKFLOW } from '../../schedules/src/service/bring-in-line.ts';
import { getSchedule } from '../src/contract.ts';
import { type Api, ok, type TestPlatform } from './platform.ts';
import type { SharedPlatform } from './shared-platform.ts';

/** What the schedules of a booted platform are made of. */
export function scheduleParts({ kernel: platform }: Pick<TestPlatform, 'kernel'>) {
  const kernel = platform.plugins.find(({ manifest }) => manifest.id === 'schedules')?.kernel as Kernel;
  return { kernel, schedules: kernel.use(Schedules) };
}

/** Has the worker carry out times of a schedule at will, as the engine has it at those of its own; waits for the end. */
export async function firer(t: { teardown(work: () => unknown): void }, { tenantId }: Tenant, source_id: string) {
  const { WORKFLOW_HOST, WORKFLOW_PORT, WORKFLOW_GENERAL_TASK_QUEUE } = sharedPlatformPlaces().environment;
  const connection = await Connection.connect({ address: `${WORKFLOW_HOST}:${WORKFLOW_PORT}` });
  t.teardown(() => connection.close());
  const { workflow } = new Client({ connection });
  return (scheduled_at: string, firing_id: string = randomUUID()): Promise<void> =>
    workflow.execute(SCHEDULE_WORKFLOW, {
      ...{ taskQueue: WORKFLOW_GENERAL_TASK_QUEUE ?? '', workflowId: `${tenantId}:test:${randomUUID()}` },
      args: [{ tenant_id: tenantId, subject_kind: 'source', subject_id: source_id, firing_id, scheduled_at }],
    });
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
  from schedules.firing f left join kernel.run r using (tenant_id, run_id) where tenant_id = $1
  order by fired_at desc`;

/** Waits until a firing of the tenant is noted like this, among all that are kept. */
export function noted(
  { peek }: Pick<SharedPlatform, 'peek'>,
  { tenantId }: Tenant,
  isIt: (one: Noted) => boolean,
): Promise<Noted> {
  return until('a firing', async () => ((await peek(NOTED, [tenantId])) as unknown as Noted[]).find(isIt));
}
