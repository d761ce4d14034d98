import type { Kernel } from '@weir/kernel';
import { Problem, type Tenant } from '@weir/kernel/contract';
import { Inputs, Samples } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import { Definitions } from '@weir/plugin-transforms/contract';
import { RunFailed } from '@weir/work';
import { BACKING_SUBJECT } from '../../contract/backing/state.ts';
import type { OntologyStore, StoreCall } from '../../model/entity/store.ts';
import type { BackingDatasetRow } from '../../model/rows.ts';
import type { OntologySettings, OntologyTenants } from '../bindings.ts';
import { liveOf } from '../store/store-of.ts';
import { claimedTypes } from '../sync/claims.ts';
import { currentFingerprint } from '../sync/effective.ts';
import { endClaims } from '../sync/end-claims.ts';
import { newestType } from '../sync/former.ts';
import { SYNC_WORKER } from '../sync/sync-ports.ts';
import { removeRemote } from '../sync/take-remote.ts';
import { backingService } from './backing-datasets.ts';
import { backingDocuments } from './document-kind.ts';
import { healthService } from './health.ts';
import { previewService } from './preview.ts';
import { readinessChecks } from './readiness.ts';
import { pendingSyncs, runNames } from './rows.ts';
import { syncRunService } from './runs.ts';
import { syncSensor } from './sensor.ts';
import { startService } from './starts.ts';
import { suggestService } from './suggest.ts';

/** What the calls about backing datasets are answered by. */
export function backingServices(given: {
  kernel: Kernel<OntologySettings>;
  tenants: OntologyTenants;
  store: OntologyStore;
}) {
  const { kernel, store } = given;
  const inputs = kernel.use(Inputs);
  const deps = {
    ...given,
    inputs,
    samples: kernel.use(Samples),
    definitions: kernel.use(Definitions),
    logs: kernel.use(RunLogs),
    endClaims,
    removeRemote: store.capabilities().adapter === 'embedded' ? undefined : removeFrom(given),
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
    documents: backingDocuments({ ...deps, live: liveOf(kernel) }),
  };
}

export type BackingServices = ReturnType<typeof backingServices>;

/** Deletes the entities of a backing dataset at the service. */
const removeFrom =
  ({ kernel, store }: { kernel: Pick<Kernel, 'db' | 'runs'>; store: OntologyStore }) =>
  async (call: StoreCall, { backingDatasetId }: BackingDatasetRow): Promise<void> => {
    const { db } = kernel;
    const types = await db(call.tenant).transaction((tx) => claimedTypes(tx, backingDatasetId));
    for (const typeCode of types) {
      const type = await db(call.tenant).transaction((tx) => newestType(tx, typeCode));
      await removeRemote({ kernel, store, call }, { claimant: { backingDatasetId, typeCode }, type });
    }
  };
