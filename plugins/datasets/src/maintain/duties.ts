import { type Duty, duty } from '@weir/kernel';
import type { DatasetSettings } from '../settings.ts';
import { dropOldReceipts } from '../survey/receipts.ts';
import type { MaintenanceDeps } from '../survey/survey.ts';
import { lookAfterTables } from './look.ts';

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
