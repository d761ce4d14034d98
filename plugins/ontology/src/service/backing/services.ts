import type { Kernel } from '@weir/kernel';
import { Problem, type Tenant } from '@weir/kernel/contract';
import { Inputs, Samples } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { Definitions } from '@weir/plugin-transforms/contract';
import { RunFailed } from '@weir/work';
import { BACKING_SUBJECT } from '../../contract/backing/state.ts';
import type { OntologyStore } from '../../model/entity/store.ts';
import type { BackingDatasetRow } from '../../model/rows.ts';
import type { OntologyTenants } from '../bindings.ts';
import { currentFingerprint } from '../sync/effective.ts';
import { endClaims } from '../sync/end-claims.ts';
import { SYNC_WORKER } from '../sync/sync-ports.ts';
import { backingService } from './backing-datasets.ts';
import { healthService } from './health.ts';
import { previewService } from './preview.ts';
import { readinessChecks } from './readiness.ts';
import { pendingSyncs, runNames } from './rows.ts';
import { syncRunService } from './runs.ts';
import { syncSensor } from './sensor.ts';
import { startService } from './starts.ts';
import { suggestService } from './suggest.ts';

/** What the calls about backing datasets are answered by. */
export function backingServices(given: { kernel: Kernel; tenants: OntologyTenants; store: OntologyStore }) {
  const { kernel } = given;
  const inputs = kernel.use(Inputs);
  const deps = {
    ...given,
    inputs,
    samples: kernel.use(Samples),
    definitions: kernel.use(Definitions),
    logs: kernel.use(RunLogs),
    endClaims,
    currentFingerprint: (tenant: Tenant, { spec }: BackingDatasetRow): Promise<string | null> =>
      currentFingerprint({ ...given, inputs }, { tenant, principal: SYNC_WORKER }, spec).catch((error: unknown) => {
        if (error instanceof Problem || error instanceof RunFailed) return null;
        throw error;
      }),
  };
  const health = healthService(deps);
  const starts = startService({ ...deps, health });
  const sensor = syncSensor({ kernel, start: starts.start });
  return {
    backing: backingService({ ...deps, wake: sensor.wake }),
    starts,
    sensor,
    syncRuns: syncRunService(deps),
    pending: pendingSyncs(kernel),
    names: runNames(kernel),
    health,
    readiness: (tenant: Tenant, id: string) => kernel.readiness(tenant, BACKING_SUBJECT, id),
    checks: readinessChecks(deps),
    suggestions: suggestService(deps),
    previews: previewService(deps),
  };
}

export type BackingServices = ReturnType<typeof backingServices>;
