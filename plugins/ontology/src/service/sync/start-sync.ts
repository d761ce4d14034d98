import type { Admitted, Kernel, TenantTransaction } from '@weir/kernel';
import { SYNC_CONTRACTS } from '../../model/route/contracts.ts';
import { type BackingDatasetRow, SyncRunEntity } from '../../model/rows.ts';
import { NO_COUNTS } from '../../model/sync/words.ts';

export interface AskedSync {
  backingDataset: BackingDatasetRow;
  force: boolean;
  /** Subject of the caller, or what started it. */
  requestedBy: string;
  /** The answer of `runs.admit` for the kind of run, which decides the contract. */
  admitted: Admitted;
  /** What `currentFingerprint` answered; null where the table cannot be read, for which the run will fail. */
  fingerprint: string | null;
}

export interface StartedSync {
  runId: string;
  workflowId: string;
  attemptedFingerprint: string | null;
  warning: Admitted['warning'];
}

/**
 * Writes a run in the caller's transaction; its workflow starts after the commit, and by the sweeper if that fails. Throws
 * `run_already_active` with `run_id`.
 */
export async function startSync(
  { runs }: Pick<Kernel, 'runs'>,
  tx: TenantTransaction,
  { backingDataset, force, requestedBy, admitted, fingerprint }: AskedSync,
): Promise<StartedSync> {
  const { backingDatasetId, spec, appliedSyncSpecFingerprint = null } = backingDataset;
  const { kind } = admitted;
  const contract = SYNC_CONTRACTS.find(({ run }) => run.kind === kind)?.contract;
  if (contract === undefined) throw new Error(`${kind} is not a kind of sync runs`);
  const started = await runs.start(tx, { kind, subjectId: backingDatasetId, requestedBy, admitted });
  await tx.insert(SyncRunEntity, {
    runId: started.run_id,
    backingDatasetId,
    contract,
    force,
    spec,
    counts: NO_COUNTS,
    createdAt: new Date(),
    attemptedSyncSpecFingerprint: fingerprint,
    // What is applied after a run that does not succeed.
    appliedSyncSpecFingerprint,
  });
  const { run_id: runId, workflow_id: workflowId, warning } = started;
  return { runId, workflowId, attemptedFingerprint: fingerprint, warning };
}
