import type { Kernel, Tenant } from '@weir/kernel';
import { MAX_SAMPLE_ROWS, type SampledDataset, Samples, type SamplesService } from '@weir/plugin-datasets/contract';

/** Columns of a dataset, and the values of its first rows. */
export interface SampledRows {
  columns: SampledDataset['columns'];
  values: readonly (readonly unknown[])[];
  more: boolean;
}

export interface DatasetRows {
  columns(tenant: Tenant, datasetId: string): Promise<SampledDataset['columns']>;
  rows(tenant: Tenant, datasetId: string, signal: AbortSignal): Promise<SampledRows>;
}

/** What datasets say of themselves, as far as the tenant may read them. */
export function datasetRows(kernel: Pick<Kernel, 'use'>): DatasetRows {
  const samples: SamplesService = kernel.use(Samples);
  return {
    columns: async (tenant, datasetId) => (await samples.describe(tenant, datasetId)).columns,
    async rows(tenant, datasetId, signal) {
      const { snapshotId, columns } = await samples.describe(tenant, datasetId);
      const names = columns.map(({ name }) => name);
      const shown = names.map((_, at) => `c${at}`).join(', ');
      const statements = [{ sql: `select ${shown} from sample order by r`, maxRows: MAX_SAMPLE_ROWS }];
      const question = { snapshotId, columns: names, rows: MAX_SAMPLE_ROWS, statements, signal };
      const { results, more } = await samples.ask(tenant, datasetId, question);
      return { columns, values: results[0] ?? [], more };
    },
  };
}
