import { type Migration, tenantTable } from './migration.ts';

/**
 * Which files hold the lines of a run's log, and what is known of each without opening it. A line that no row tells of is
 * none. Rows go when a run's log has been kept long enough.
 */
export const s12_logs: Migration = {
  name: 's12_logs',
  after: 's11_schedules',
  sql: `
create table platform.run_log_segment (
  tenant_id uuid not null references kernel.tenant (tenant_id),
  run_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  lines bigint not null,
  bytes bigint not null,
  begins_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  levels jsonb not null,
  written_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, run_id, first_seq)
);
create index run_log_segment_age on platform.run_log_segment (tenant_id, written_at);
${tenantTable('platform.run_log_segment')}
`,
};
