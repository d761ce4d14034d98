import { definePlugin, provide } from '@weir/kernel';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { logLeft } from '@weir/work';
import { routes } from './api/routes.ts';
import { Definitions, transformProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { runKinds } from './model/run-kinds.ts';
import { contributions } from './service/contributions.ts';
import { sweepApiSelects } from './service/select/api-selects.ts';
import { transformServices } from './service/services.ts';
import { settings } from './settings.ts';

const { invalidDatasetId, datasetNotReadable, datasetUnreadable } = datasetProblems;
const { storageFull, storeDenied, storeUnavailable } = datasetProblems;
const ofDatasets = {
  ...{ invalidDatasetId, datasetNotReadable, datasetUnreadable },
  ...{ storageFull, storeDenied, storeUnavailable },
};

/** SQL transforms: one SELECT becomes a table. */
export default definePlugin({
  id: 'transforms',
  settings,
  entities,
  problems: { ...transformProblems, ...ofDatasets },
  setup(kernel) {
    const services = transformServices(kernel);
    return {
      routes: routes(services),
      runKinds,
      services: [provide(Definitions, services.definitions)],
      contributes: contributions(kernel),
      serve: () => sweepApiSelects(logLeft(kernel)),
      stop: () => services.selects.close(),
    };
  },
});
