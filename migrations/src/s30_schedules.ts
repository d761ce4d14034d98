import type { Migration } from './migration.ts';

/**
 * Schedules belong to no domain any more: their tables move to a schema of their own and name the kind of what they run. The
 * engine is given each again, as its workflow is another. Not additive: a release before it looks for them in `sources`.
 */
export const s30_schedules: Migration = {
  name: 's30_schedules',
  after: 's29_transform_runs',
  sql: `
create schema schedules;
grant usage on schema schedules to weir_app, weir_system;

alter table sources.schedule drop constraint schedule_tenant_id_source_id_fkey;
alter table sources.schedule set schema schedules;
alter table schedules.schedule rename column source_id to subject_id;
alter table schedules.schedule add column subject_kind text not null default 'source';
alter table schedules.schedule alter column subject_kind drop default;
alter table schedules.schedule add foreign key (tenant_id) references kernel.tenant (tenant_id);
drop index schedules.schedule_created;
drop index schedules.schedule_next_run;
create index schedule_created on schedules.schedule (tenant_id, subject_kind, created_at, subject_id);
create index schedule_next_run on schedules.schedule (tenant_id, subject_kind, next_run_at, subject_id);

alter table sources.schedule_firing drop constraint schedule_firing_tenant_id_source_id_fkey;
alter table sources.schedule_firing set schema schedules;
alter table schedules.schedule_firing rename to firing;
alter table schedules.firing rename column source_id to subject_id;
alter table schedules.firing add column subject_kind text not null default 'source';
alter table schedules.firing alter column subject_kind drop default;
alter table schedules.firing add foreign key (tenant_id) references kernel.tenant (tenant_id);

-- The owner sees rows of tenants only while their wall does not hold for it.
alter table schedules.schedule no force row level security;
update schedules.schedule set applied_version = null, judged_from = coalesce(judged_from, next_run_at);
alter table schedules.schedule force row level security;
`,
};
