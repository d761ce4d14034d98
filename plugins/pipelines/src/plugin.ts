import { definePlugin, type Kernel } from '@weir/kernel';
import { scheduleProblems } from '@weir/plugin-schedules/contract';
import { routes } from './api/routes.ts';
import { pipelineProblems, stepProblems } from './contract.ts';
import { entities } from './model/entities.ts';
import { runKinds } from './model/run-kinds.ts';
import { contributions } from './service/contributions.ts';
import { pipelineServices } from './service/services.ts';

/** Pipelines: named sets of transforms that are validated, rehearsed, versioned and published together. */
export default definePlugin({
  id: 'pipelines',
  entities,
  problems: { ...pipelineProblems, ...stepProblems, ...scheduleProblems },
  setup: (kernel) => registered(kernel),
});

/** What the plugin registers. */
export function registered(kernel: Kernel) {
  const services = pipelineServices(kernel);
  return { routes: routes(kernel, services), runKinds, contributes: contributions(kernel, services) };
}
