import type { Kernel, TenantTransaction } from '@weir/kernel';
import type { TransformRunView } from '../../contract.ts';
import { TransformRunEntity, type TransformRunRow } from '../../model/entities.ts';
import { transformRunView } from '../../model/run-view.ts';

/** The newest run of each transform, by transform id. */
export async function lastRuns(
  { runs }: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  transformIds: readonly string[],
): Promise<Map<string, TransformRunView>> {
  if (transformIds.length === 0) return new Map();
  const { rows } = await tx.sql(
    `select distinct on (transform_id) run_id from transforms.transform_run
     where tenant_id = $1 and transform_id = any ($2::uuid[]) order by transform_id, created_at desc, run_id desc`,
    [tx.tenant.tenantId, transformIds],
  );
  const found = await tx.find(TransformRunEntity, { runId: { $in: rows.map(({ run_id }) => String(run_id)) } });
  const views = await runViews({ runs }, tx, found);
  return new Map(views.map((view) => [view.transform_id, view]));
}

/** Rows with what the kernel knows of their runs, in their order. */
export async function runViews(
  { runs }: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  rows: readonly TransformRunRow[],
): Promise<TransformRunView[]> {
  const known = await runs.findMany(
    tx,
    rows.map(({ runId }) => runId),
  );
  const byId = new Map(known.map((run) => [run.runId, run]));
  return rows.flatMap((row) => {
    const run = byId.get(row.runId);
    return run === undefined ? [] : [transformRunView(run, row)];
  });
}
