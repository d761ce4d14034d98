import type { TenantTransaction } from '@weir/kernel';
import type { CheckpointWrite, PinnedInput, TableCommit } from '@weir/plugin-datasets/contract';
import type { SelectedRows } from '../service/select/select-asks.ts';
import type { StagedStep } from './step-place.ts';
import type { CarryOutDeps, Job } from './transform-attempt.ts';

const MAX_SAMPLE_BYTES = 256 * 1024;

/** What a step would commit, and what it read. */
interface Written {
  table: TableCommit;
  checkpoint?: CheckpointWrite | undefined;
  pins: readonly PinnedInput[];
  rows: number;
  /** Says what it read and stood on. */
  reads: string;
  /** Rows to look at are there. */
  isSampled?: boolean;
  /** Belongs to the transaction that keeps it. */
  also?: (tx: TenantTransaction) => Promise<void>;
}

/** Writes the draft that the steps behind this one read, and keeps the commit for the end of the whole. No pointer moves. */
export async function keepStaged(deps: CarryOutDeps, job: Job, written: Written): Promise<void> {
  const { kernel, tables } = deps;
  const { tenant, run, leaseEpoch, content, place } = job;
  const { pins, rows, reads, isSampled = false, also } = written;
  const owner = { runId: run.runId };
  const draft = await tables.draft(tenant, { ...owner, leaseEpoch, table: written.table });
  const staged: StagedStep = {
    table: { ...written.table, ...owner, snapshotId: draft.snapshotId },
    ...(written.checkpoint && { checkpoint: { ...written.checkpoint, ...owner } }),
    rows: String(rows),
    draft: draft.metadataLocation,
  };
  const [made] = await deps.inputs.pin(tenant, [{ datasetId: content.output, draft: draft.metadataLocation }]);
  const sample =
    made === undefined || isSampled || place.sampleRows === 0 ? undefined : await sampleOf(deps, job, made);
  const rowsIn = pins.reduce((sum, pin) => sum + BigInt(pin.rows), 0n);
  await kernel.db(tenant).transaction(async (tx) => {
    await kernel.runs.assertLease(tx, run.runId, leaseEpoch);
    const own = [tenant.tenantId, run.runId];
    await tx.sql(
      `update transforms.step set staged = $3::json, staged_at = now(), rows_in = $4, columns = $5::json, sample = $6::json,
         reads_digest = $7
       where tenant_id = $1 and run_id = $2`,
      [
        ...[...own, JSON.stringify(staged), String(rowsIn)],
        ...[JSON.stringify(made?.columns ?? []), sample === undefined ? null : JSON.stringify(sample), reads],
      ],
    );
    if (place.publish === 'none')
      await tx.sql('update transforms.transform_run set row_count = $3 where tenant_id = $1 and run_id = $2', [
        ...own,
        rows,
      ]);
    await also?.(tx);
  });
}

/** The first rows of the output as the draft has it. */
async function sampleOf(
  { selects }: CarryOutDeps,
  { content, place, signal }: Job,
  made: PinnedInput,
): Promise<Pick<SelectedRows, 'columns' | 'rows'>> {
  const sql = `select * from ${content.output
    .split('.')
    .map((part) => `"${part}"`)
    .join('.')}`;
  const asked = { sql, inputs: [made], signal, limit: place.sampleRows, maxBytes: MAX_SAMPLE_BYTES };
  const { columns, rows } = await selects.rows(asked);
  return { columns, rows };
}
