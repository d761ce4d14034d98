import type { Kernel, Tenant, WorkerDeps } from '@weir/kernel';
import { Inputs } from '@weir/plugin-datasets/contract';
import { RunLogs } from '@weir/plugin-platform/contract';
import {
  attempt,
  type LeasedRun,
  leasedAttempt,
  logEnd,
  logLeft,
  NO_LOGS,
  nextStep,
  type Outcome,
  type RunInput,
  runKeys,
  tenantOf,
  workFolders,
} from '@weir/work';
import { ONTOLOGY_SYNC_V2 } from '../model/run-kinds.ts';
import type { SyncActivities, SyncActivitiesV1 } from '../model/sync/activities.ts';
import { runSync } from '../model/sync/run-sync.ts';
import { backingServices } from '../service/backing/services.ts';
import { type OntologySettings, ontologyTenants } from '../service/bindings.ts';
import { storeOf } from '../service/store/store-of.ts';
import { finishSync } from '../service/sync/finish-sync.ts';
import { syncFailures as failures } from '../service/sync/sync-failures.ts';
import { type SyncDeps, syncPorts, syncRows } from '../service/sync/sync-ports.ts';

/** The activities of a worker of contract 2. */
export function syncActivities(deps: WorkerDeps): SyncActivities {
  const { sync, end, update } = stepsOf(deps);
  return {
    sync_to_ontology_v2: sync,
    emit_ontology_lineage_edge_v2: end,
    update_sync_status_v2: update,
    probe_ontology_worker_v2: async () => undefined,
  };
}

/** The activities of a worker of contract 1. */
export function syncActivitiesV1(deps: WorkerDeps): SyncActivitiesV1 {
  const { sync, end, update } = stepsOf(deps);
  const kernel = deps.kernel as Kernel<OntologySettings>;
  const tenants = ontologyTenants(kernel, kernel.settings);
  const { sensor } = backingServices({ kernel, tenants, store: storeOf(kernel) });
  return {
    sync_to_ontology: sync,
    emit_ontology_lineage_edge: end,
    update_sync_status: update,
    probe_ontology_worker: async () => undefined,
    reconcile_ontology_syncs: async (input) => sensor.startOverdue(await tenantOf(kernel, input)),
  };
}

/** The steps of a sync, by whichever contract. */
function stepsOf({ kernel: given, children, workDir }: WorkerDeps) {
  const kernel = given as Kernel<OntologySettings>;
  const runLogs = kernel.use(RunLogs) ?? NO_LOGS;
  const inputs = kernel.use(Inputs);
  const deps: SyncDeps = {
    kernel,
    inputs,
    store: storeOf(kernel),
    tenants: ontologyTenants(kernel, kernel.settings),
    map: { children, folders: workFolders(workDir, logLeft(kernel)) },
  };
  const attempting = { log: kernel.log, failures, keysOf: runKeys(kernel, ONTOLOGY_SYNC_V2.subject) };
  const leased = (input: RunInput, step: 'first' | 'next', work: (run: LeasedRun) => Promise<void>): Promise<void> =>
    attempt(attempting, input, async (one) => {
      const number = step === 'next' ? one.number : undefined;
      const begin = (tenant: Tenant) => nextStep(kernel, { tenant, runId: input.run_id, number });
      // The second step of an attempt reports nothing itself, and the log that it would open is that of the first.
      const logs = step === 'first' ? runLogs : NO_LOGS;
      await leasedAttempt({ kernel, failures, runLogs: logs }, input, { ...one, begin }, work);
    });

  return {
    sync: (input: RunInput) =>
      leased(input, 'first', async ({ tenant, run: { runId }, leaseEpoch, signal, log }) => {
        const rows = await syncRows(kernel, tenant, runId);
        await runSync(syncPorts(deps, { tenant, runId, leaseEpoch, signal, log }, rows));
      }),

    end: (input: RunInput) =>
      leased(input, 'next', async ({ tenant, run: { runId }, leaseEpoch }) => {
        const rows = await syncRows(kernel, tenant, runId);
        const status = rows.run.mode === 'skip' ? 'skipped' : 'succeeded';
        await logEnd({ kernel, runLogs }, tenant, runId, { status });
        await finishSync({ kernel, inputs }, { tenant, runId, leaseEpoch }, rows);
      }),

    async update(input: RunInput, outcome: Outcome) {
      const tenant = await tenantOf(kernel, input);
      await logEnd({ kernel, runLogs }, tenant, input.run_id, outcome);
      await kernel.runs.finish(tenant, input.run_id, outcome, { after: (tx) => inputs.release(tx, input.run_id) });
    },
  };
}
