import type { Kernel, Tenant } from '@weir/kernel';
import type { AuditsService, TableRef, TableSnapshot, TablesService } from '@weir/plugin-datasets/contract';
import { MAX_LISTED_SNAPSHOTS } from '@weir/plugin-datasets/contract';
import { type ReceiptStreamView, type SyncVerificationView, VERIFICATION_FORMAT } from '../contract.ts';
import type { KeptReceipt, receiptService } from '../receipt/service.ts';
import { compareStream, type StreamEvidence, supersededBy, worstOf } from './compare.ts';
import { VerificationEntity } from './entity.ts';

export interface VerifyDeps {
  kernel: Kernel;
  tables: TablesService;
  audits: AuditsService;
  receipts: ReturnType<typeof receiptService>;
}

/** Carries out one verification and keeps what it found. Reading again finds the same, so it may be repeated. */
export async function verifySyncRun(
  deps: VerifyDeps,
  tenant: Tenant,
  { verificationRunId, signal }: { verificationRunId: string; signal: AbortSignal },
): Promise<void> {
  const { kernel, receipts } = deps;
  if ((await kernel.runs.begin(tenant, verificationRunId)) === undefined) return;
  const db = kernel.db(tenant);
  const row = await db.transaction((tx) => tx.findOne(VerificationEntity, { verificationRunId }));
  if (row === undefined) throw new Error('the verification has no row');
  const outcome = await verified(deps, tenant, { kept: await receipts.get(tenant, row.runId), signal });
  await db.transaction(async (tx) => {
    const again = await tx.findOne(VerificationEntity, { verificationRunId });
    if (again !== undefined) await tx.update(again, { outcome });
  });
}

async function verified(
  deps: VerifyDeps,
  tenant: Tenant,
  { kept, signal }: { kept: KeptReceipt; signal: AbortSignal },
): Promise<SyncVerificationView> {
  const { sha256, receipt } = kept;
  const streams = [];
  for (const stream of receipt.streams) {
    signal.throwIfAborted();
    streams.push(compareStream(stream, await evidenceOf(deps, tenant, receipt.run_id, stream)));
  }
  return {
    format: VERIFICATION_FORMAT,
    run_id: receipt.run_id,
    receipt_sha256: sha256,
    checked_at: new Date().toISOString(),
    verdict: worstOf(streams.map(({ verdict }) => verdict)),
    streams,
  };
}

async function evidenceOf(
  { audits, tables }: VerifyDeps,
  tenant: Tenant,
  runId: string,
  stream: ReceiptStreamView,
): Promise<StreamEvidence> {
  const ref = refOf(stream.dataset_id);
  const snapshotId = stream.snapshot_ids.at(-1);
  const rejected = await audits.rejectedLines(tenant, ref, { runId });
  const nothing = { atCommit: undefined, now: undefined, rejected, supersededBy: undefined };
  if (snapshotId === undefined || (stream.rows_in_table === null && stream.checksum === null)) return nothing;
  const atCommit = await audits.figures(tenant, ref, { runId, snapshotId });
  if (atCommit.outcome === 'table_missing' || atCommit.outcome === 'unreadable') return { ...nothing, atCommit };
  const later = await snapshotsAfter(tables, tenant, ref, snapshotId);
  const by = supersededBy(runId, later);
  const moved = later.length > 0 || atCommit.outcome === 'snapshot_missing';
  const now = moved && by === undefined ? await audits.figures(tenant, ref, { runId }) : undefined;
  return { atCommit, now, rejected, supersededBy: by };
}

/** The snapshots of a table behind one of them, newest first; as far as the table lists them. */
async function snapshotsAfter(
  tables: TablesService,
  tenant: Tenant,
  ref: TableRef,
  snapshotId: string,
): Promise<TableSnapshot[]> {
  const newest = await tables.snapshots(tenant, ref, { limit: MAX_LISTED_SNAPSHOTS });
  const at = newest.findIndex((snapshot) => snapshot.snapshotId === snapshotId);
  return at === -1 ? newest : newest.slice(0, at);
}

function refOf(datasetId: string): TableRef {
  const at = datasetId.lastIndexOf('.');
  return { namespace: datasetId.slice(0, at), table: datasetId.slice(at + 1) };
}
