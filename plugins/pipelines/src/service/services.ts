import type { Kernel } from '@weir/kernel';
import { Inputs, Tables } from '@weir/plugin-datasets/contract';
import { Events } from '@weir/plugin-platform/contract';
import { SubjectSchedules } from '@weir/plugin-schedules/contract';
import { Definitions, Facts, Groups } from '@weir/plugin-transforms/contract';
import { pipelineService } from './pipelines.ts';
import { pipelineRunService } from './runs.ts';
import { validateService } from './validate.ts';
import { versionService } from './versions.ts';

export type PipelineServices = ReturnType<typeof pipelineServices>;

/** What the calls of this plugin are answered by. */
export function pipelineServices(kernel: Kernel) {
  const deps = {
    kernel,
    facts: kernel.use(Facts),
    groups: kernel.use(Groups),
    definitions: kernel.use(Definitions),
    tables: kernel.use(Tables),
    inputs: kernel.use(Inputs),
    schedules: kernel.use(SubjectSchedules),
    events: kernel.use(Events),
  };
  return {
    deps,
    pipelines: pipelineService(deps),
    validations: validateService(deps),
    versions: versionService(deps),
    runs: pipelineRunService(deps),
  };
}
