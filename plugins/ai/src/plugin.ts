import { definePlugin, type Kernel, type Tenant } from '@weir/kernel';
import { datasetProblems } from '@weir/plugin-datasets/contract';
import { statementProblems, transformProblems } from '@weir/plugin-transforms/contract';
import { workProblems } from '@weir/work';
import { routes } from './api/routes.ts';
import { aiProblems } from './contract/problems.ts';
import { ExecutionEntity } from './model/entities.ts';
import { AI_COMPOSE, SCHEMA_MATCH } from './model/run-kinds.ts';
import { aiStarts, schemaMatchStart } from './service/compose/starts.ts';
import { composeStatus, runContributions } from './service/compose/status.ts';
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
    ...workProblems,
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
  const { executions } = services;
  const starts = aiStarts({ kernel, ...services });
  const publish = publishService({ kernel, ...services });
  const composed = (tenant: Tenant, id: string) => composeStatus({ kernel, executions }, tenant, id);
  return {
    routes: routes({ tasks: services, publish, executions, starts, composed }),
    runKinds: [AI_COMPOSE, SCHEMA_MATCH],
    duties: [retention(kernel)],
    contributes: [...runContributions(kernel), schemaMatchStart(starts)],
  };
}
