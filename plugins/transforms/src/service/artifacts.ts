import { canonicalJson, type Kernel, type PageOrders, raw, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Tenant } from '@weir/kernel/contract';
import { ARTIFACT_DOCUMENT, type ArtifactView, type listArtifacts } from '../contract.ts';
import { ArtifactEntity, type ArtifactRow, HydrationEntity } from '../model/entities.ts';

const ORDERS: PageOrders = { orders: { created_at: 'createdAt' }, first: '-created_at', id: 'artifactId' };

/** Reading artifacts. */
export function artifactService({ db }: Pick<Kernel, 'db'>) {
  return {
    list: (tenant: Tenant, query: Input<typeof listArtifacts>['query']) =>
      db(tenant).transaction(async (tx) => {
        const { transform_id: transformId, ...request } = query ?? {};
        const where = transformId === undefined ? {} : { artifactId: { $in: await artifactsOf(tx, transformId) } };
        const page = await tx.page(ArtifactEntity, where, request, ORDERS);
        return { items: await views(tx, page.items), next_page_token: page.next_page_token, total: null };
      }),

    get: (tenant: Tenant, artifactId: string): Promise<ArtifactView> =>
      db(tenant).transaction(async (tx) => (await views(tx, [await found(tx, artifactId)]))[0] as ArtifactView),

    content: (tenant: Tenant, artifactId: string) =>
      db(tenant).transaction(async (tx) => (await found(tx, artifactId)).content),

    async download(tenant: Tenant, artifactId: string) {
      const { content } = await db(tenant).transaction((tx) => found(tx, artifactId));
      const headers = { 'content-disposition': `attachment; filename="${artifactId}.json"` };
      return raw({ type: ARTIFACT_DOCUMENT, body: canonicalJson(content), headers });
    },
  };
}

/** The artifact; `not_found` for absent and foreign ids alike. */
async function found(tx: TenantTransaction, artifactId: string): Promise<ArtifactRow> {
  const row = await tx.findOne(ArtifactEntity, { artifactId });
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

async function artifactsOf(tx: TenantTransaction, transformId: string): Promise<string[]> {
  return (await tx.find(HydrationEntity, { transformId })).map(({ artifactId }) => artifactId);
}

async function views(tx: TenantTransaction, rows: readonly ArtifactRow[]): Promise<ArtifactView[]> {
  const ids = rows.map(({ artifactId }) => artifactId);
  const uses = ids.length === 0 ? [] : await tx.find(HydrationEntity, { artifactId: { $in: ids } });
  const users = Map.groupBy(uses, ({ artifactId }) => artifactId);
  return rows.map(({ artifactId, runtime, content, createdAt }) => ({
    ...{ artifact_id: artifactId, runtime, output: content.output, materialization: content.materialization },
    ...{ inputs: content.inputs, columns: content.columns.length, created_at: createdAt.toISOString() },
    transform_ids: (users.get(artifactId) ?? []).map(({ transformId }) => transformId).toSorted(),
  }));
}
