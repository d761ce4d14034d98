import { definePlugin, handle, type Kernel } from '@weir/kernel';
import { datasetProblems, Facts } from '@weir/plugin-datasets/contract';
import { getLineage, readImpact } from './contract.ts';
import { lineageService } from './service/lineage.ts';

/** Which table comes from which: computed from what is in force, never stored. */
export default definePlugin({
  id: 'lineage',
  problems: {
    invalidDatasetId: datasetProblems.invalidDatasetId,
    datasetNotReadable: datasetProblems.datasetNotReadable,
  },
  setup: (kernel) => registered(kernel),
});

/** What the plugin registers. */
export function registered(kernel: Kernel) {
  const lineage = lineageService(kernel, kernel.use(Facts));
  return {
    routes: [
      handle(getLineage, ({ tenant, query }) => lineage.graph(tenant, query)),
      handle(readImpact, ({ tenant, body }) => lineage.impact(tenant, body)),
    ],
  };
}
