import type { Tenant } from '@weir/kernel';
import type { ScheduleSummary, SubjectSchedulesService } from '../contract.ts';
import { type InLineDeps, tellEngine } from './bring-in-line.ts';
import { dropSchedule } from './live-schedule.ts';

const SUMMARIES = `select subject_id, paused_at is not null as paused, next_run_at from schedules.schedule
  where tenant_id = $1 and subject_id = any ($2::uuid[]) and deleted_at is null`;
const SCHEDULED = `select subject_id from schedules.schedule
  where tenant_id = $1 and subject_kind = $2 and deleted_at is null and ($3::boolean is null or (paused_at is not null) = $3)`;

/** What other plugins ask about schedules, and how they take one away, in transactions of their own. */
export function scheduleFacts(deps: InLineDeps): Omit<SubjectSchedulesService, 'routes' | 'times'> {
  return {
    async summaries(tx, subjectIds) {
      if (subjectIds.length === 0) return new Map();
      const { rows } = await tx.sql(SUMMARIES, [tx.tenant.tenantId, subjectIds]);
      return new Map(rows.map((row) => [String(row.subject_id), summaryOf(row)]));
    },

    async scheduled(tx, kind, paused) {
      const { rows } = await tx.sql(SCHEDULED, [tx.tenant.tenantId, kind, paused ?? null]);
      return rows.map(({ subject_id }) => String(subject_id));
    },

    async drop(tx, subjectId, { forget = false } = {}) {
      const tenant: Tenant = tx.tenant;
      const own = [tenant.tenantId, subjectId];
      if (forget) await tx.sql('delete from schedules.firing where tenant_id = $1 and subject_id = $2', own);
      if (await dropSchedule(tx, subjectId)) tx.afterCommit(() => tellEngine(deps, tenant, subjectId));
    },
  };
}

/** Of a schedule that is paused nothing is to come. */
function summaryOf({ paused, next_run_at: next }: Record<string, unknown>): ScheduleSummary {
  const isOver = paused === true || next === null;
  return { paused: paused === true, next_run_at: isOver ? null : new Date(String(next)).toISOString() };
}
