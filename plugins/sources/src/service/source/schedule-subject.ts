import type { Kernel } from '@weir/kernel';
import type { ScheduleSubject } from '@weir/plugin-schedules/contract';
import { sourceSchedules } from '../../contract.ts';
import type { FactDeps } from '../readiness/source-facts.ts';
import { syncService } from '../sync/service.ts';

/** Sources as what runs on a schedule: a time of it is a sync. */
export function scheduledSources(facts: FactDeps & { kernel: Kernel }): ScheduleSubject {
  return {
    ...{ kind: sourceSchedules.kind, run: 'sync', endpoints: sourceSchedules },
    async find(tx, sourceId, { lock = false } = {}) {
      const { rows } = await tx.sql(
        `select status from sources.source where tenant_id = $1 and source_id = $2${lock ? ' for update' : ''}`,
        [tx.tenant.tenantId, sourceId],
      );
      const [found] = rows;
      return found && (found.status === 'retired' ? 'retired' : 'live');
    },
    async names(tx, ids) {
      const { rows } = await tx.sql(
        'select source_id, name from sources.source where tenant_id = $1 and source_id = any ($2::uuid[])',
        [tx.tenant.tenantId, ids],
      );
      return new Map(rows.map(({ source_id, name }) => [String(source_id), String(name)]));
    },
    start: syncService(facts).start,
  };
}
