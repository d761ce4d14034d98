import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { Inputs, Producers, Tables } from '@weir/plugin-datasets/contract';
import { Events, RunLogs } from '@weir/plugin-platform/contract';
import { SubjectSchedules } from '@weir/plugin-schedules/contract';
import type { DefinitionsService } from '../contract.ts';
import { artifactService } from './artifacts.ts';
import { factsService } from './facts.ts';
import { groupService } from './groups.ts';
import { queryService } from './query/queries.ts';
import { transformRunService } from './runs.ts';
import { apiSelects } from './select/api-selects.ts';
import type { Selects } from './select/selects.ts';
import { startService } from './starts.ts';
import { stepsOf } from './steps.ts';
import { whereTaken } from './transform/claim-output.ts';
import { detailService } from './transform/detail.ts';
import { fromPattern } from './transform/from-pattern.ts';
import { hydrateService } from './transform/hydrate.ts';
import { transformService } from './transform/transforms.ts';
import { versionService } from './transform/versions.ts';
import { validateService } from './validate.ts';

export type TransformServices = ReturnType<typeof transformServices>;

/** What the calls of this plugin are answered by. */
export function transformServices(kernel: Kernel, selects: Selects = apiSelects()) {
  const producers = kernel.use(Producers);
  const tables = kernel.use(Tables);
  const events = kernel.use(Events);
  const schedules = kernel.use(SubjectSchedules);
  const transforms = transformService({ kernel, producers, inputs: kernel.use(Inputs), events, schedules });
  const validations = validateService({ inputs: kernel.use(Inputs), selects });
  const queries = queryService({ inputs: kernel.use(Inputs), selects });
  const patterns = fromPattern(kernel);
  const definitions: DefinitionsService = {
    create: transforms.create,
    // Every transaction of a caller is one of the kernel's.
    make: async (tx, createdBy, given) =>
      transforms.make(tx as TenantTransaction, createdBy, await patterns.body(given)),
    whereTaken,
    validate: validations.validate,
    preview: queries.json,
  };
  return {
    selects,
    definitions,
    patterns,
    hydrations: hydrateService({ kernel, inputs: kernel.use(Inputs), selects, tables, producers, events }),
    versions: versionService(kernel),
    transforms,
    starts: startService(kernel),
    groups: groupService(kernel),
    facts: factsService(kernel),
    steps: (tenant: Tenant, runId: string) => stepsOf(kernel, tenant, runId),
    validations,
    schedules,
    details: detailService({ kernel, transforms }),
    artifacts: artifactService(kernel),
    queries,
    runs: transformRunService({ kernel, logs: kernel.use(RunLogs) }),
  };
}
