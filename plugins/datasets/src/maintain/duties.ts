import { type Duty, duty, type Kernel } from '@weir/kernel';
import type { DatasetSettings } from '../settings.ts';
import { dropOldReceipts } from '../survey/receipts.ts';
import type { MaintenanceDeps } from '../survey/survey.ts';
import { lookAfterTables } from './look.ts';

const COUNT_MS = 60_000;
/** A count of another process may be newer after so long: this one shows none. */
const STALE_MS = 3 * COUNT_MS;

/** Counts the tables that are due or blocked, for the figure of all tenants together. */
export function dueTables({ db, metrics }: Pick<Kernel, 'db' | 'metrics'>): Duty {
  const counts = new Map<string, { due: number; blocked: number; at: number }>();
  metrics.gauge({
    name: 'weir_tables_due',
    help: 'Tables that wait for maintenance, or whose maintenance makes no progress; of the process that counted last',
    labels: { status: ['due', 'blocked'] },
    async read() {
      const fresh = [...counts.values()].filter(({ at }) => at > Date.now() - STALE_MS);
      if (fresh.length === 0) return [];
      return (['due', 'blocked'] as const).map((status) => ({
        labels: { status },
        value: fresh.reduce((sum, one) => sum + one[status], 0),
      }));
    },
  });
  return duty({
    name: 'datasets.tables_due',
    everyMs: COUNT_MS,
    where: 'api',
    async perTenant(tenant) {
      const { rows } = await db(tenant).transaction((tx) =>
        tx.sql(
          `select count(*) filter (where blocked is null and due <> '[]')::int as due,
             count(*) filter (where blocked is not null)::int as blocked
           from datasets.table_health where tenant_id = $1 and not paused`,
          [tx.tenant.tenantId],
        ),
      );
      const [found] = rows;
      counts.set(tenant.tenantId, { due: Number(found?.due), blocked: Number(found?.blocked), at: Date.now() });
    },
  });
}

/** Looks after the tables of every tenant, and removes receipts that are old. */
export const maintenanceDuties = (maintained: MaintenanceDeps, settings: DatasetSettings): Duty[] => {
  const { WEIR_MAINTENANCE_SLOTS: slots, WEIR_MAINTENANCE_BYTES_PER_HOUR: bytesPerHour } = settings;
  const deps = { ...maintained, slots, bytesPerHour };
  return [
    duty({
      name: 'datasets.maintenance',
      everyMs: 15_000,
      where: 'maintenance',
      perTenant: (tenant, signal) => lookAfterTables(deps, tenant, signal),
    }),
    duty({
      name: 'datasets.receipts',
      everyMs: 3_600_000,
      where: 'maintenance',
      perTenant: (tenant) => deps.kernel.db(tenant).transaction(dropOldReceipts),
    }),
  ];
};
