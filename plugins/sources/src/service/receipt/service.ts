import { canonicalSha256, type Kernel, type Tenant } from '@weir/kernel';
import { kernelProblems, TERMINAL_RUN_STATUSES } from '@weir/kernel/contract';
import { type SyncReceiptView, sourceProblems } from '../../contract.ts';
import { ReceiptEntity } from '../../model/receipt/entity.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';

/** A receipt with the digest of its canonical form. */
export interface KeptReceipt {
  sha256: string;
  etag: string;
  receipt: SyncReceiptView;
}

/** Reading what syncs said when they had ended. */
export function receiptService(kernel: Kernel) {
  return {
    /** The receipt of a sync, by run id or workflow id. Throws `not_found`, and `run_not_ended` while it is open. */
    async get(tenant: Tenant, id: string): Promise<KeptReceipt> {
      const run = await kernel.runs.find(tenant, id, SYNC_KIND.kind);
      if (run === undefined) throw kernelProblems.notFound();
      const { runId, status } = run;
      if (!TERMINAL_RUN_STATUSES.includes(status)) throw sourceProblems.runNotEnded();
      const row = await kernel.db(tenant).transaction((tx) => tx.findOne(ReceiptEntity, { runId }));
      // A sync of a release that wrote none.
      if (row === undefined) throw kernelProblems.notFound();
      const sha256 = canonicalSha256(row.document);
      return { sha256, etag: sha256, receipt: row.document };
    },
  };
}
