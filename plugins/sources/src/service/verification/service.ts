import { type Kernel, type RunRecord, runView, type Tenant } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { SYNC_KIND, VERIFY_KIND } from '../../model/run-kinds.ts';
import { VerificationEntity } from '../../model/verification/entity.ts';
import type { HowToStart } from '../discovery/service.ts';
import type { receiptService } from '../receipt/service.ts';

const { kind } = VERIFY_KIND;

/** Starting verifications of syncs, and reading what they found. */
export function verificationService(kernel: Kernel, receipts: ReturnType<typeof receiptService>) {
  const found = async (tenant: Tenant, id: string): Promise<RunRecord> => {
    const run = await kernel.runs.find(tenant, id, SYNC_KIND.kind);
    if (run === undefined) throw kernelProblems.notFound();
    return run;
  };
  return {
    /** Writes a pending run; throws `not_found` for a sync without a receipt, and `run_not_ended`. */
    async start(tenant: Tenant, id: string, { requestedBy, queue }: HowToStart) {
      const { receipt } = await receipts.get(tenant, id);
      const admitted = await kernel.runs.admit(kind, { queue });
      const started = await kernel.db(tenant).transaction(async (tx) => {
        const run = await kernel.runs.start(tx, { kind, subjectId: receipt.source_id, requestedBy, admitted });
        const row = { verificationRunId: run.run_id, runId: receipt.run_id, createdAt: new Date() };
        await tx.insert(VerificationEntity, row);
        return run;
      });
      return { ...started, sync_run_id: receipt.run_id };
    },

    /** The newest verification of a sync, or the one of a run id; `outcome` is null until it has succeeded. */
    async get(tenant: Tenant, id: string, verificationRunId: string | undefined) {
      const { runId } = await found(tenant, id);
      const row = await kernel.db(tenant).transaction(async (tx) => {
        const where = { runId, ...(verificationRunId === undefined ? {} : { verificationRunId }) };
        const [newest] = await tx.find(VerificationEntity, where, { orderBy: { createdAt: 'desc' }, limit: 1 });
        return newest;
      });
      const run = row && (await kernel.runs.find(tenant, row.verificationRunId, kind));
      if (run === undefined) throw kernelProblems.notFound();
      return { ...runView(run), sync_run_id: runId, outcome: row?.outcome ?? null };
    },
  };
}
