import type { Kernel, PageOrders, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import type { listTransformVersions, TransformVersionFactsView, TransformVersionView } from '../../contract.ts';
import { isInForce } from '../../model/definition.ts';
import { type TransformRow, TransformVersionEntity, type TransformVersionRow } from '../../model/entities.ts';
import { foundTransform } from './rows.ts';

const ORDERS: PageOrders = { orders: { version: 'version' }, first: '-version', id: 'transformId' };

/** Reading the versions of transforms. */
export function versionService({ db }: Pick<Kernel, 'db'>) {
  return {
    list: (
      tenant: Tenant,
      transformId: string,
      query: Input<typeof listTransformVersions>['query'],
    ): Promise<Output<typeof listTransformVersions>> =>
      db(tenant).transaction(async (tx) => {
        const transform = await foundTransform(tx, transformId);
        const page = await tx.page(TransformVersionEntity, { transformId }, query ?? {}, ORDERS);
        const items = page.items.map((row) => factsOf(transform, row));
        return { items, next_page_token: page.next_page_token, total: null };
      }),

    get: (tenant: Tenant, transformId: string, version: number): Promise<TransformVersionView> =>
      db(tenant).transaction(async (tx) => {
        const transform = await foundTransform(tx, transformId);
        const row = await foundVersion(tx, transformId, version);
        return { ...factsOf(transform, row), ...row.definition };
      }),
  };
}

/** Throws `not_found` for a version that there never was. */
export async function foundVersion(
  tx: TenantTransaction,
  transformId: string,
  version: number,
): Promise<TransformVersionRow> {
  const row = await tx.findOne(TransformVersionEntity, { transformId, version });
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

const factsOf = (transform: TransformRow, row: TransformVersionRow): TransformVersionFactsView => ({
  ...{ transform_id: row.transformId, version: row.version, artifact_id: row.artifactId, changes: row.changes },
  ...{ restored_from: row.restoredFrom ?? null, created_by: row.createdBy, created_at: row.createdAt.toISOString() },
  in_force: isInForce(transform) && transform.currentVersion === row.version,
});
