import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';

/** First key of the locks by which runs of one tenant enter one after the other, apart from all other advisory locks. */
const LOCK = 7_305_003;

class LanesTaken extends Error {}

/**
 * Takes the lease of a run when fewer than `lanes` runs of these kinds and its tenant are carried out or have waited for longer;
 * `waits` otherwise, and the run is as it was. A lane is taken by a whole: what is part of another run neither takes one nor waits. A run that goes on with another attempt has its lane. The lane is the status `running` of
 * its row, so that it is free again as soon as the run has ended, however it did. With 0 lanes none waits. Undefined when the run
 * has ended.
 */
export async function beginInLane(
  { runs }: Pick<Kernel, 'runs'>,
  tenant: Tenant,
  { runId, kinds, lanes }: { runId: string; kinds: readonly string[]; lanes: number },
): Promise<{ leaseEpoch: number } | 'waits' | undefined> {
  try {
    return await runs.begin(tenant, runId, lanes === 0 ? undefined : (tx) => enterLane(tx, { runId, kinds, lanes }));
  } catch (error) {
    if (error instanceof LanesTaken) return 'waits';
    throw error;
  }
}

async function enterLane(
  tx: TenantTransaction,
  { runId, kinds, lanes }: { runId: string; kinds: readonly string[]; lanes: number },
): Promise<void> {
  await tx.sql('select pg_advisory_xact_lock($1, hashtext($2))', [LOCK, tx.tenant.tenantId]);
  const { rows } = await tx.sql(AHEAD, [runId, kinds]);
  if (rows[0] !== undefined && Number(rows[0].ahead) >= lanes) throw new LanesTaken();
}

const AHEAD = `
select (
  select count(*) from kernel.run other
  where other.kind = any ($2::text[]) and other.parent_run_id is null and other.run_id <> own.run_id and (other.status = 'running'
    or (other.status = 'pending' and (other.created_at, other.run_id) < (own.created_at, own.run_id)))
) as ahead
from kernel.run own where own.run_id = $1 and own.status = 'pending' and own.parent_run_id is null`;
