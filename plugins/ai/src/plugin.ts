import { definePlugin, type Kernel } from '@weir/kernel';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { statementProblems, transformProblems } from '@weir/plugin-transforms/contract';
import { routes } from './api/routes.ts';
import { aiProblems } from './contract/problems.ts';
import { ExecutionEntity } from './model/entities.ts';
import { retention } from './service/executions.ts';
import type { AiProvider } from './service/provider.ts';
import { publishService } from './service/publish.ts';
import { aiServices } from './service/services.ts';
import { type AiSettings, settings } from './settings.ts';

const { sqlBoundMet, sqlStopped, transformNameTaken, outputTaken, outputRefused } = transformProblems;

/** Proposals that the engine has checked; a second call of a person makes them real. */
export default definePlugin({
  id: 'ai',
  settings,
  entities: [ExecutionEntity],
  problems: {
    ...aiProblems,
    ...statementProblems,
    invalidDatasetId: datasetProblems.invalidDatasetId,
    datasetNotReadable: datasetProblems.datasetNotReadable,
    sqlBoundMet,
    sqlStopped,
    transformNameTaken,
    outputTaken,
    outputRefused,
  },
  setup: (kernel) => registered(kernel),
});

/** What the plugin registers, with the provider that is named; a test may name one of its own. */
export function registered(kernel: Kernel<AiSettings>, remote?: AiProvider) {
  const services = aiServices(kernel, remote);
  const publish = publishService({ kernel, ...services });
  return { routes: routes({ tasks: services, publish, executions: services.executions }), duties: [retention(kernel)] };
}
