import type { TenantTransaction } from '@weir/kernel';
import type { Checkpoint, CheckpointWrite } from '../contract.ts';
import { CheckpointEntity } from './entity.ts';

/** The last checkpoint of a key in the tenant of the transaction. */
export async function readCheckpoint(tx: TenantTransaction, key: string): Promise<Checkpoint | undefined> {
  const row = await tx.findOne(CheckpointEntity, { key });
  if (row === undefined) return undefined;
  const state: unknown = row.state === null || row.state === undefined ? undefined : JSON.parse(row.state);
  return { state, counters: row.counters, runId: row.runId };
}

/** Stores a checkpoint in place of the key's last one. */
export async function writeCheckpoint(
  tx: TenantTransaction,
  runId: string,
  checkpoint: CheckpointWrite,
): Promise<void> {
  const { key, state, counters } = checkpoint;
  await tx.sql(
    `insert into datasets.checkpoint (tenant_id, key, state, counters, run_id) values ($1, $2, $3, $4::jsonb, $5)
     on conflict (tenant_id, key) do update
     set state = excluded.state, counters = excluded.counters, run_id = excluded.run_id, updated_at = now()`,
    [tx.tenant.tenantId, key, state === undefined ? null : JSON.stringify(state), JSON.stringify(counters), runId],
  );
}
