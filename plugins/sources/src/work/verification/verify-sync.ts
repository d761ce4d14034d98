import type { Tenant } from '@weir/kernel';
import type { AuditsService, TableRef, TableSnapshot, TablesService } from '@weir/plugin-datasets/contract';
import { MAX_LISTED_SNAPSHOTS } from '@weir/plugin-datasets/contract';
import type { RunLogEntry } from '@weir/plugin-platform/contract';
import { run, type WorkKit, type WorkLog } from '@weir/work';
import {
  type ReceiptStreamView,
  type SyncVerificationView,
  VERIFICATION_FORMAT,
  type VerifiedStreamView,
} from '../../contract.ts';
import { VERIFY_KIND } from '../../model/run-kinds.ts';
import { compareStream, type StreamEvidence, supersededBy, worstOf } from '../../model/verification/compare.ts';
import { VerificationEntity } from '../../model/verification/entity.ts';
import type { KeptReceipt, receiptService } from '../../service/receipt/service.ts';

export interface VerifyDeps extends WorkKit {
  tables: TablesService;
  audits: AuditsService;
  receipts: ReturnType<typeof receiptService>;
}

/** A verification, which keeps what it found. Reading again finds the same, so it may be repeated. */
export const verifying = run<VerifyDeps>(VERIFY_KIND, async ({ tenant, run, signal, log }, deps) => {
  const verificationRunId = run.runId;
  const db = deps.kernel.db(tenant);
  const row = await db.transaction((tx) => tx.findOne(VerificationEntity, { verificationRunId }));
  if (row === undefined) throw new Error('the verification has no row');
  const kept = await deps.receipts.get(tenant, row.runId);
  const outcome = await verified(deps, tenant, { kept, signal, log });
  await db.transaction(async (tx) => {
    const again = await tx.findOne(VerificationEntity, { verificationRunId });
    if (again !== undefined) await tx.update(again, { outcome });
  });
});

async function verified(
  deps: VerifyDeps,
  tenant: Tenant,
  { kept, signal, log }: { kept: KeptReceipt; signal: AbortSignal; log: WorkLog },
): Promise<SyncVerificationView> {
  const { sha256, receipt } = kept;
  const streams = [];
  const { run_id } = receipt;
  const begins = `the receipt of run ${run_id} is held against its tables`;
  log.write({ level: 'info', step: 'verify', message: begins, fields: { sync_run_id: run_id } });
  for (const stream of receipt.streams) {
    signal.throwIfAborted();
    const found = compareStream(stream, await evidenceOf(deps, tenant, { runId: run_id, stream, signal }));
    log.write(verdictLine(found));
    streams.push(found);
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

/** What was found of one stream, and which figures are other ones. */
function verdictLine({ name: stream, dataset_id, verdict, reason, figures }: VerifiedStreamView): RunLogEntry {
  const other = figures.filter(({ equal }) => !equal).map(({ figure }) => figure);
  const why = [...(reason === null ? [] : [reason]), ...other].join(', ');
  const level = verdict === 'equal' ? 'info' : verdict === 'unverifiable' ? 'warn' : 'error';
  const message = `${dataset_id} is ${verdict}${why === '' ? '' : `: ${why}`}`;
  return { level, step: 'verify', stream, message, fields: { verdict } };
}

async function evidenceOf(
  { audits, tables }: VerifyDeps,
  tenant: Tenant,
  { runId, stream, signal }: { runId: string; stream: ReceiptStreamView; signal: AbortSignal },
): Promise<StreamEvidence> {
  const ref = refOf(stream.dataset_id);
  const snapshotId = stream.snapshot_ids.at(-1);
  const rejected = await audits.rejectedLines(tenant, ref, { runId, signal });
  const nothing = { atCommit: undefined, now: undefined, rejected, supersededBy: undefined };
  if (snapshotId === undefined || (stream.rows_in_table === null && stream.checksum === null)) return nothing;
  const atCommit = await audits.figures(tenant, ref, { runId, snapshotId, signal });
  if (atCommit.outcome === 'table_missing' || atCommit.outcome === 'unreadable') return { ...nothing, atCommit };
  const later = await snapshotsAfter(tables, tenant, ref, snapshotId);
  const by = supersededBy(runId, later);
  const moved = later.length > 0 || atCommit.outcome === 'snapshot_missing';
  const now = moved && by === undefined ? await audits.figures(tenant, ref, { runId, signal }) : undefined;
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
