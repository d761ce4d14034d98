import type { Kernel, TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, type Output, type Principal, subjectOf, type Tenant } from '@weir/kernel/contract';
import type { getSyncCapabilities } from '../../contract/backing/backing-datasets.ts';
import { backingProblems } from '../../contract/backing/problems.ts';
import type { syncBackingDataset } from '../../contract/backing/runs.ts';
import { type SyncContract, syncContract } from '../../model/route/contracts.ts';
import type { BackingDatasetRow } from '../../model/rows.ts';
import { SYNC_CONTRACT } from '../../model/sync/fingerprint.ts';
import { startSync } from '../sync/start-sync.ts';
import type { HealthService } from './health.ts';
import { foundBacking } from './rows.ts';

/** Who asks for a sync, and how. */
export interface AskedSync {
  requestedBy: string;
  queue?: boolean | undefined;
  force?: boolean | undefined;
}

type Started = Output<typeof syncBackingDataset>;
export type StartBacking = (tenant: Tenant, id: string, asked: AskedSync) => Promise<Started>;

export interface StartDeps {
  kernel: Pick<Kernel, 'db' | 'runs'>;
  health: HealthService;
  /** What a sync would attempt now; null while the table cannot be read. */
  currentFingerprint(tenant: Tenant, row: BackingDatasetRow): Promise<string | null>;
}

/** Starting syncs, by the contract of the route row. */
export function startService({ kernel, health, currentFingerprint }: StartDeps) {
  const { db, runs } = kernel;
  /** Throws `not_found`, `force_not_supported`, `no_worker` and `run_already_active`. */
  const start: StartBacking = async (tenant, id, { requestedBy, queue, force = false }) => {
    const { row, contract } = await db(tenant).transaction(async (tx) => ({
      row: await foundBacking(tx, id),
      contract: await contractOf(tx),
    }));
    const { run } = contract;
    const isSecond = contract.contract === SYNC_CONTRACT;
    if (force && !isSecond) throw backingProblems.forceNotSupported();
    const admitted = await runs.admit(run.kind, { queue });
    const fingerprint = await currentFingerprint(tenant, row);
    const answer = await db(tenant).transaction(async (tx) => {
      // Who changes the route waits for this lock: once that is answered, no sync starts by the other contract.
      if ((await contractOf(tx, 'for share')) !== contract) return undefined;
      const backingDataset = await foundBacking(tx, id, { lock: true });
      const started = await startSync(kernel, tx, { backingDataset, force, requestedBy, admitted, fingerprint });
      const { runId: run_id, workflowId: workflow_id, warning, attemptedFingerprint } = started;
      const accepted: Started = { run_id, workflow_id, warning, status: 'pending' };
      if (!isSecond) return accepted;
      const ofSecond = { attempted_sync_spec_fingerprint: attemptedFingerprint, force };
      return { ...accepted, ...ofSecond, sync_contract_version: contract.contract };
    });
    // The route was changed meanwhile.
    return answer ?? start(tenant, id, { requestedBy, queue, force });
  };
  return {
    start,

    /** Throws `backing_dataset_not_ready` with what fails, `ontology_binding_missing`, and what a start throws. */
    async trigger(
      tenant: Tenant,
      principal: Principal,
      { id, query }: { id: string; query: Input<typeof syncBackingDataset>['query'] },
    ): Promise<Started> {
      const checks = (await health.checks(tenant, principal, { id, drift: false })).checks.filter(
        ({ check, status }) => NEEDED.includes(check) && status === 'fail',
      );
      if (checks.length > 0) throw backingProblems.notReady({ members: { checks } });
      return start(tenant, id, { requestedBy: subjectOf(principal), ...query });
    },

    /** What clients may rely on, by the route row; it is that of every tenant. */
    async capabilities([tenant]: readonly Tenant[]): Promise<Output<typeof getSyncCapabilities>> {
      if (tenant === undefined) throw kernelProblems.tenantHeaderRequired();
      const { contract } = await db(tenant).transaction((tx) => contractOf(tx));
      const isSecond = contract === SYNC_CONTRACT;
      return {
        sync_contract_version: contract,
        supports_exact_run_polling: isSecond,
        supports_force_replay: isSecond,
      };
    },
  };
}

export type StartService = ReturnType<typeof startService>;

/** Checks without which a sync is known to fail. */
const NEEDED: readonly string[] = ['table', 'columns', 'type_version', 'key_mapped', 'relationships'];

/** The contract that new syncs follow. */
async function contractOf(tx: TenantTransaction, lock = ''): Promise<SyncContract> {
  const { rows } = await tx.sql(`select contract from ontology.sync_route ${lock}`, []);
  const contract = syncContract(Number(rows[0]?.contract));
  if (contract === undefined) throw new Error('the route of syncs names a contract of another release');
  return contract;
}
