import { definePlugin, type Kernel, provide } from '@weir/kernel';
import { scheduleProblems } from '@weir/plugin-schedules/contract';
import { failurePages, logLeft, workProblems } from '@weir/work';
import { routes } from './api/routes.ts';
import { Definitions, Facts, Groups, groupProblems, statementProblems, transformProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { TRANSFORM_FAILURES } from './model/failure/failure-table.ts';
import { groupEntities } from './model/group/entities.ts';
import { runKinds } from './model/run-kinds.ts';
import { contributions } from './service/contributions.ts';
import { sweepApiSelects } from './service/select/api-selects.ts';
import { type TransformServices, transformServices } from './service/services.ts';
import { settings } from './settings.ts';

/** SQL transforms: one SELECT becomes a table. */
export default definePlugin({
  id: 'transforms',
  settings,
  entities: [...entities, ...groupEntities],
  problems: {
    ...{ ...transformProblems, ...statementProblems, ...groupProblems, ...scheduleProblems },
    ...{ ...failurePages(TRANSFORM_FAILURES), ...workProblems },
  },
  setup: (kernel) => registered(kernel, transformServices(kernel)),
});

/** What the plugin registers, over services. */
export function registered(kernel: Kernel, services: TransformServices) {
  return {
    routes: routes(services),
    runKinds,
    services: [
      provide(Definitions, services.definitions),
      provide(Groups, services.groups),
      provide(Facts, services.facts),
    ],
    contributes: contributions(kernel),
    serve: () => sweepApiSelects(logLeft(kernel)),
    stop: () => services.selects.close(),
  };
}
