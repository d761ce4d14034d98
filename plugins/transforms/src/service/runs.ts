import type { Kernel, PageOrders } from '@weir/kernel';
import type { Input, RunChanged, Tenant } from '@weir/kernel/contract';
import type { listTransformRuns } from '../contract.ts';
import { TransformRunEntity } from '../model/entities.ts';
import { TRANSFORM_KIND } from '../model/run-kinds.ts';
import { runViews } from './last-runs.ts';
import { foundTransform } from './rows.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };

export interface TransformRunDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
}

type ListQuery = Input<typeof listTransformRuns>['query'];

/** Reading the runs of transforms. */
export function transformRunService({ kernel }: TransformRunDeps) {
  return {
    list: (tenant: Tenant, query: ListQuery, options?: { ofKnown: boolean }) =>
      kernel.db(tenant).transaction(async (tx) => {
        const { status, transform_id: transformId, ...rest } = query ?? {};
        const { triggering_transform_id: triggeringTransformId, orchestrator_run_id: orchestratorRunId } = rest;
        if (options?.ofKnown && transformId !== undefined) await foundTransform(tx, transformId);
        const where = {
          ...(status === undefined ? {} : { status }),
          ...(transformId === undefined ? {} : { transformId }),
          ...(triggeringTransformId === undefined ? {} : { triggeringTransformId }),
          ...(orchestratorRunId === undefined ? {} : { orchestratorRunId }),
        };
        const { limit, page_token, order } = rest;
        const page = await tx.page(TransformRunEntity, where, { limit, page_token, order }, ORDERS);
        const items = await runViews(kernel, tx, page.items);
        return { items, next_page_token: page.next_page_token, total: null };
      }),
  };
}

/** Keeps the status of a run beside what it does for its transform. */
export const followStatus: RunChanged = async (tx, { run_id, kind, status }) => {
  if (kind !== TRANSFORM_KIND) return;
  await tx.sql('update transforms.transform_run set status = $3 where tenant_id = $1 and run_id = $2', [
    tx.tenant.tenantId,
    run_id,
    status,
  ]);
};
