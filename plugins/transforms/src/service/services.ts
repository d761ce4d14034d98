import type { Kernel } from '@weir/kernel';
import { Inputs, Producers } from '@weir/plugin-datasets/contract';
import { Events, RunLogs } from '@weir/plugin-platform/contract';
import { SubjectSchedules } from '@weir/plugin-schedules/contract';
import type { DefinitionsService } from '../contract.ts';
import { artifactService } from './artifacts.ts';
import { detailService } from './detail.ts';
import { fromPattern } from './from-pattern.ts';
import { hydrateService } from './hydrate.ts';
import { queryService } from './query/queries.ts';
import { transformRunService } from './runs.ts';
import { apiSelects } from './select/api-selects.ts';
import { startService } from './starts.ts';
import { transformService } from './transforms.ts';
import { validateService } from './validate.ts';

export type TransformServices = ReturnType<typeof transformServices>;

/** What the calls of this plugin are answered by. */
export function transformServices(kernel: Kernel) {
  const producers = kernel.use(Producers);
  const events = kernel.use(Events);
  const selects = apiSelects();
  const schedules = kernel.use(SubjectSchedules);
  const transforms = transformService({ kernel, producers, inputs: kernel.use(Inputs), events, schedules });
  const validations = validateService({ inputs: kernel.use(Inputs), selects });
  const queries = queryService({ inputs: kernel.use(Inputs), selects });
  const definitions: DefinitionsService = {
    create: transforms.create,
    validate: validations.validate,
    preview: queries.json,
  };
  return {
    selects,
    definitions,
    patterns: fromPattern(kernel),
    hydrations: hydrateService({ kernel, inputs: kernel.use(Inputs), selects, events }),
    transforms,
    starts: startService(kernel),
    validations,
    schedules,
    details: detailService({ kernel, transforms }),
    artifacts: artifactService(kernel),
    queries,
    runs: transformRunService({ kernel, logs: kernel.use(RunLogs) }),
  };
}
