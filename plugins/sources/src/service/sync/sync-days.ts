import type { Kernel, Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { listSyncDays, SyncDayView } from '../../contract.ts';
import { SYNC_KIND } from '../../model/run-kinds.ts';

const FIRST_DAYS = 14;
/** What the database says of a zone that it does not have. */
const UNKNOWN_ZONE = '22023';

const DAYS = `
with day as (
  select (now() at time zone $3)::date - back as day from generate_series($4::int - 1, 0, -1) back
)
select to_char(day, 'YYYY-MM-DD') as day, count(r.run_id) as syncs,
  count(*) filter (where r.status = 'succeeded') as succeeded, count(*) filter (where r.status = 'failed') as failed,
  coalesce(sum(s.rows_written), 0)::text as rows_written, coalesce(sum(s.bytes_read), 0)::text as bytes_read
from day
left join kernel.run r on r.tenant_id = $1 and r.kind = $2
  and r.created_at >= day::timestamp at time zone $3 and r.created_at < (day + 1)::timestamp at time zone $3
left join sources.sync_run s on s.tenant_id = r.tenant_id and s.run_id = r.run_id
group by day order by day`;

/** The syncs of a tenant by day. */
export function syncDays({ db }: Pick<Kernel, 'db'>) {
  return {
    /** Throws `validation_failed` for a zone that is not known. */
    async list(tenant: Tenant, query: Input<typeof listSyncDays>['query']): Promise<{ items: SyncDayView[] }> {
      const { days = FIRST_DAYS, zone = 'UTC' } = query ?? {};
      if (!isZone(zone)) throw unknownZone();
      const { rows } = await db(tenant)
        .transaction((tx) => tx.sql(DAYS, [tenant.tenantId, SYNC_KIND.kind, zone, days]))
        .catch((error: { code?: unknown }) => {
          throw error.code === UNKNOWN_ZONE ? unknownZone() : error;
        });
      return { items: rows.map(dayView) };
    },
  };
}

const dayView = (row: Record<string, unknown>): SyncDayView => ({
  day: String(row.day),
  syncs: Number(row.syncs),
  succeeded: Number(row.succeeded),
  failed: Number(row.failed),
  rows_written: String(row.rows_written),
  bytes_read: String(row.bytes_read),
});

/** By name alone: a bare offset means the opposite to the database. */
function isZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const unknownZone = () =>
  kernelProblems.validationFailed({
    errors: [{ pointer: '/query/zone', code: 'unknown_zone', message: 'is not a known time zone' }],
  });
