import type { Kernel, Tenant } from '@weir/kernel';
import { Samples } from '@weir/plugin-datasets/contract';

/** Rows whose values are compared; they stay in the platform. */
const COMPARED_ROWS = 500;
/** Columns whose values are compared. */
const COMPARED_COLUMNS = 200;

export interface SeenDataset {
  dataset_id: string;
  snapshotId: string | null;
  columns: { name: string; type: string }[];
}

/** Sample values by column. */
export type SampleValues = ReadonlyMap<string, readonly unknown[]>;

/** Columns and samples of datasets that the tenant may read. */
export function datasetSight(kernel: Pick<Kernel, 'use'>) {
  const samples = kernel.use(Samples);
  const describe = async (tenant: Tenant, datasetId: string): Promise<SeenDataset> => {
    const { snapshotId, columns } = await samples.describe(tenant, datasetId);
    return { dataset_id: datasetId, snapshotId, columns: columns.map(({ name, type }) => ({ name, type })) };
  };
  return {
    describe,
    describeAll: (tenant: Tenant, ids: readonly string[]) => Promise.all(ids.map((id) => describe(tenant, id))),
    async values(
      tenant: Tenant,
      { dataset_id, snapshotId, columns }: SeenDataset,
      signal: AbortSignal,
    ): Promise<SampleValues> {
      const names = columns.slice(0, COMPARED_COLUMNS).map(({ name }) => name);
      if (snapshotId === null || names.length === 0) return new Map();
      const sql = `select ${names.map((_, at) => `c${at}`).join(', ')} from sample order by r`;
      const statements = [{ sql, maxRows: COMPARED_ROWS }];
      const question = { snapshotId, columns: names, rows: COMPARED_ROWS, statements, signal };
      const { results } = await samples.ask(tenant, dataset_id, question);
      return new Map(names.map((name, at) => [name, (results[0] ?? []).map((row) => row[at])]));
    },
  };
}
export type DatasetSight = ReturnType<typeof datasetSight>;
