import { type Kernel, runView, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { sourceProblems, type startReplay } from '../../contract.ts';
import { ReplayEntity } from '../../model/quarantine/entity.ts';
import { REPLAY_KIND } from '../../model/run-kinds.ts';
import { StreamEntity, type StreamRow } from '../../model/stream/entity.ts';
import { settingsOf } from '../../model/stream/settings.ts';
import { faultsOf } from '../../model/stream/stream-rules.ts';
import { bronzeNamespace } from '../../model/stream/view.ts';
import type { HowToStart } from '../discovery/service.ts';
import { liveSource } from '../row/live-source.ts';

const { kind } = REPLAY_KIND;

/** Trying rejected lines again, and reading what became of them. */
export function replayService(kernel: Kernel) {
  return {
    /**
     * Writes a pending run for the stream whose rows the dataset holds. Throws `not_found` when the tenant has no such
     * stream, `stream_not_syncable` when its settings do not fit together, and `run_already_active`.
     */
    async start(tenant: Tenant, body: Input<typeof startReplay>['body'], { requestedBy, queue }: HowToStart) {
      const db = kernel.db(tenant);
      await db.transaction((tx) => replayable(tx, body.dataset_id));
      const admitted = await kernel.runs.admit(kind, { queue });
      return db.transaction(async (tx) => {
        const { sourceId, streamId } = await replayable(tx, body.dataset_id);
        const run = await kernel.runs.start(tx, { kind, subjectId: sourceId, requestedBy, admitted });
        const { dataset_id, run_id = null, reasons = null } = body;
        const request = { dataset_id, run_id, reasons };
        await tx.insert(ReplayEntity, { runId: run.run_id, streamId, request, createdAt: new Date() });
        return { ...run, source_id: sourceId, stream_id: streamId };
      });
    },

    /** How a replay stands; `outcome` is null until it has succeeded. */
    async get(tenant: Tenant, runId: string) {
      const run = await kernel.runs.find(tenant, runId, kind);
      const row = await kernel.db(tenant).transaction((tx) => tx.findOne(ReplayEntity, { runId }));
      if (run === undefined || row === undefined) throw kernelProblems.notFound();
      const { dataset_id, run_id, reasons } = row.request;
      return {
        ...runView(run),
        source_id: run.subjectId,
        stream_id: row.streamId,
        dataset_id,
        only_run_id: run_id,
        reasons,
        outcome: row.outcome ?? null,
      };
    },
  };
}

/** The stream of a live source whose table a dataset id names, with the lock of its source. */
async function replayable(tx: TenantTransaction, datasetId: string): Promise<StreamRow> {
  const namespace = `${bronzeNamespace(tx.tenant)}.`;
  if (!datasetId.startsWith(namespace)) throw kernelProblems.notFound();
  const destinationTable = datasetId.slice(namespace.length);
  const row = await tx.findOne(StreamEntity, { destinationTable });
  if (row === undefined) throw kernelProblems.notFound();
  await liveSource(tx, row.sourceId, { lock: true });
  const errors = faultsOf({ ...settingsOf(row), enabled: true });
  if (errors.length > 0) throw sourceProblems.streamNotSyncable({ errors });
  return row;
}
