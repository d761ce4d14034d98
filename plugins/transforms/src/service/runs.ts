import type { Kernel, PageOrders } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type RunChanged, type Tenant } from '@weir/kernel/contract';
import type { LineageColumnView } from '@weir/plugin-lineage/contract';
import type { ReadableRun, RunLogRequest, RunLogsService } from '@weir/plugin-platform/contract';
import type { listTransformRuns, readRunChecks } from '../contract.ts';
import { CheckSampleEntity, TransformRunEntity, type TransformRunRow } from '../model/entities.ts';
import { TRANSFORM_KIND } from '../model/run-kinds.ts';
import { transformRunView } from '../model/run-view.ts';
import { runViews } from './transform/last-runs.ts';
import { foundTransform } from './transform/rows.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'runId' };

export interface TransformRunDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  logs: RunLogsService;
}

/** A run by id, and of a transform where its path names one. */
interface Named {
  runId: string;
  transformId?: string;
}

type ListQuery = Input<typeof listTransformRuns>['query'];

/** Reading the runs of transforms. */
export function transformRunService({ kernel, logs }: TransformRunDeps) {
  const found = (tenant: Tenant, { runId, transformId }: Named) =>
    kernel.db(tenant).transaction(async (tx) => {
      const where = { runId, ...(transformId === undefined ? {} : { transformId }) };
      const row: TransformRunRow | undefined = await tx.findOne(TransformRunEntity, where);
      const [run] = row === undefined ? [] : await kernel.runs.findMany(tx, [runId]);
      if (row === undefined || run === undefined) throw kernelProblems.notFound();
      return { row, run };
    });
  const readable = async (tenant: Tenant, runId: string): Promise<ReadableRun> => {
    const { run } = await found(tenant, { runId });
    return { runId, isTerminal: run.endedAt !== undefined, endedAt: run.endedAt };
  };
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

    async get(tenant: Tenant, named: Named) {
      const { row, run } = await found(tenant, named);
      const lineage = await kernel.db(tenant).transaction(async (tx) => {
        const kept = 'select lineage from transforms.transform_run where tenant_id = $1 and run_id = $2';
        return (await tx.sql(kept, [tenant.tenantId, row.runId])).rows[0]?.lineage;
      });
      return {
        ...transformRunView(run, row),
        worker: (await kernel.runs.worker(tenant, run)) ?? null,
        lineage: (lineage as LineageColumnView[] | null | undefined) ?? null,
      };
    },

    /** The checks of a run with the rows that break them. */
    checks: (tenant: Tenant, runId: string): Promise<Output<typeof readRunChecks>> =>
      kernel.db(tenant).transaction(async (tx) => {
        const row = await tx.findOne(TransformRunEntity, { runId });
        if (row === undefined) throw kernelProblems.notFound();
        const samples = new Map((await tx.find(CheckSampleEntity, { runId })).map((one) => [one.name, one]));
        const checks = row.checks.map((check) => {
          const found = samples.get(check.name);
          return { ...check, sample: found === undefined ? null : { columns: found.columns, rows: found.rows } };
        });
        return { run_id: runId, checks };
      }),

    log: (tenant: Tenant, runId: string, { query, signal }: { query: RunLogRequest; signal: AbortSignal }) =>
      logs.page(tenant, query, { find: () => readable(tenant, runId), signal }),
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
