import type { Kernel, Tenant } from '@weir/kernel';
import { beginInLane } from '@weir/work';
import { GroupKinds, type PublishMode } from '../contract.ts';

/** What the workflow of a whole is to do: parts by run id, in order, with the positions of those that each waits for. */
export interface GroupPlan {
  /** Of the attempt that began the whole. */
  lease_epoch: number;
  publish: PublishMode;
  /** Steps at a time. */
  parallel: number;
  steps: { run_id: string; after: number[] }[];
}

/** Steps of one whole that are carried out at a time, where workers have as many slots. */
const PARALLEL_STEPS = 4;

const STEPS = `
select step.run_id, step.after, whole.publish from transforms.step
join transforms.step_group whole on whole.tenant_id = step.tenant_id and whole.run_id = step.group_run_id
where step.tenant_id = $1 and step.group_run_id = $2 order by step.position`;

/** Begins a whole in a lane of its tenant, and answers its steps; none for one that has ended. `waits`: no lane is free. */
export async function beginGroup(
  kernel: Pick<Kernel, 'db' | 'runs' | 'contributions'>,
  tenant: Tenant,
  { runId, lanes }: { runId: string; lanes: number },
): Promise<GroupPlan | 'waits'> {
  const lease = await beginInLane(kernel, tenant, { runId, kinds: kernel.contributions(GroupKinds), lanes });
  if (lease === 'waits') return 'waits';
  if (lease === undefined) return { lease_epoch: 0, publish: 'each', parallel: 0, steps: [] };
  const { rows } = await kernel.db(tenant).transaction((tx) => tx.sql(STEPS, [tenant.tenantId, runId]));
  const publish = (rows[0]?.publish ?? 'each') as PublishMode;
  const steps = rows.map(({ run_id, after }) => ({ run_id: String(run_id), after: after as number[] }));
  return { lease_epoch: lease.leaseEpoch, publish, parallel: PARALLEL_STEPS, steps };
}
