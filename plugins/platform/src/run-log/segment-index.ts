import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import type { LoggedRun, Segment, SegmentIndex } from '@weir/run-logs';

/** Keeps in the service database which files hold the log of a run. */
export function segmentIndex({ db }: Pick<Kernel, 'db'>): SegmentIndex {
  const within = <T>({ tenantId }: LoggedRun, work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    db({ tenantId, alias: '', scope: '' } satisfies Tenant).transaction(work);
  return {
    async put(run, { firstSeq, lastSeq, lines, bytes, from, to, levels }) {
      const times = [new Date(from), new Date(to)];
      await within(run, (tx) =>
        tx.sql(
          `insert into platform.run_log_segment
             (tenant_id, run_id, first_seq, last_seq, lines, bytes, begins_at, ends_at, levels)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb)
           on conflict (tenant_id, run_id, first_seq) do update set last_seq = excluded.last_seq,
             lines = excluded.lines, bytes = excluded.bytes, begins_at = excluded.begins_at,
             ends_at = excluded.ends_at, levels = excluded.levels, written_at = excluded.written_at`,
          [run.tenantId, run.runId, firstSeq, lastSeq, lines, bytes, ...times, JSON.stringify(levels)],
        ),
      );
    },
    async list(run) {
      const { rows } = await within(run, (tx) =>
        tx.sql(
          `select first_seq, last_seq, lines, bytes, levels, (extract(epoch from begins_at) * 1000)::bigint as begins_at,
             (extract(epoch from ends_at) * 1000)::bigint as ends_at from platform.run_log_segment
           where tenant_id = $1 and run_id = $2`,
          [run.tenantId, run.runId],
        ),
      );
      return rows.map(segmentOf);
    },
    async remove(run) {
      await within(run, (tx) =>
        tx.sql('delete from platform.run_log_segment where tenant_id = $1 and run_id = $2', [run.tenantId, run.runId]),
      );
    },
  };
}

function segmentOf(row: Record<string, unknown>): Segment {
  const { first_seq: firstSeq, last_seq: lastSeq, lines, bytes, begins_at: from, ends_at: to, levels } = row;
  return {
    ...{ firstSeq: Number(firstSeq), lastSeq: Number(lastSeq), lines: Number(lines), bytes: Number(bytes) },
    ...{ from: Number(from), to: Number(to) },
    levels: levels as Segment['levels'],
  };
}

/** Has the logs of these runs count as old ones. */
export async function outdate(tx: Pick<TenantTransaction, 'tenant' | 'sql'>, runIds: readonly string[]): Promise<void> {
  await tx.sql(
    'update platform.run_log_segment set written_at = to_timestamp(0) where tenant_id = $1 and run_id = any ($2::uuid[])',
    [tx.tenant.tenantId, runIds],
  );
}

/** Runs of a tenant to whose log nothing was written since then. */
export async function oldRuns(tx: TenantTransaction, before: Date, limit: number): Promise<string[]> {
  const { rows } = await tx.sql(
    `select run_id from platform.run_log_segment where tenant_id = $1 group by run_id
     having max(written_at) < $2 limit $3`,
    [tx.tenant.tenantId, before, limit],
  );
  return rows.map((row) => String(row.run_id));
}
