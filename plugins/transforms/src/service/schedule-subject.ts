import type { ScheduleSubject } from '@weir/plugin-schedules/contract';
import { transformSchedules } from '../contract.ts';
import type { StartDeps } from './groups.ts';
import { startService } from './starts.ts';

/** Transforms as what runs on a schedule. An archived one keeps its schedule, and each time says that it is not ready. */
export function scheduledTransforms(kernel: StartDeps): ScheduleSubject {
  return {
    ...{ kind: transformSchedules.kind, run: 'run', endpoints: transformSchedules },
    async find(tx, transformId, { lock = false } = {}) {
      const { rowCount } = await tx.sql(
        `select from transforms.transform where tenant_id = $1 and transform_id = $2${lock ? ' for update' : ''}`,
        [tx.tenant.tenantId, transformId],
      );
      return rowCount > 0 ? 'live' : undefined;
    },
    async names(tx, ids) {
      const { rows } = await tx.sql(
        'select transform_id, name from transforms.transform where tenant_id = $1 and transform_id = any ($2::uuid[])',
        [tx.tenant.tenantId, ids],
      );
      return new Map(rows.map(({ transform_id, name }) => [String(transform_id), String(name)]));
    },
    start: startService(kernel).materialize,
  };
}
